(** HeapLang's steps, computed.

    [redex] finds the one place where an expression can step; [run] executes a
    program under an explicit schedule.  Both are proved right against the
    language's own semantics, so that executions (merged.v) and bounds on steps
    (steps.v) need not be written out by hand.  Prophecies are left out. *)
From iris.program_logic Require Import language ectx_language ectxi_language.
From iris.heap_lang Require Import lang notation tactics.
From iris.prelude Require Import options.

(** ** Where an expression steps *)

Definition push (Ki : ectx_item) (d : option (list ectx_item * expr)) :=
  (λ Kr, (Kr.1 ++ [Ki], Kr.2)) <$> d.

(** The evaluation context, innermost item first, and the redex in it. *)
Fixpoint redex (e : expr) : option (list ectx_item * expr) :=
  let in1 (Ki : ectx_item) e1 :=
    match to_val e1 with Some _ => Some ([], e) | None => push Ki (redex e1) end in
  let in2 (KL : val → ectx_item) (KR : expr → ectx_item) e1 e2 :=
    match to_val e2 with
    | Some v2 =>
        match to_val e1 with Some _ => Some ([], e) | None => push (KL v2) (redex e1) end
    | None => push (KR e1) (redex e2)
    end in
  match e with
  | Val _ | Var _ | Resolve _ _ _ => None
  | Rec _ _ _ | Fork _ | NewProph => Some ([], e)
  | App e1 e2 => in2 AppLCtx AppRCtx e1 e2
  | UnOp op e1 => in1 (UnOpCtx op) e1
  | BinOp op e1 e2 => in2 (BinOpLCtx op) (BinOpRCtx op) e1 e2
  | If e0 e1 e2 => in1 (IfCtx e1 e2) e0
  | Pair e1 e2 => in2 PairLCtx PairRCtx e1 e2
  | Fst e1 => in1 FstCtx e1
  | Snd e1 => in1 SndCtx e1
  | InjL e1 => in1 InjLCtx e1
  | InjR e1 => in1 InjRCtx e1
  | Case e0 e1 e2 => in1 (CaseCtx e1 e2) e0
  | AllocN e1 e2 => in2 AllocNLCtx AllocNRCtx e1 e2
  | Free e1 => in1 FreeCtx e1
  | Load e1 => in1 LoadCtx e1
  | Store e1 e2 => in2 StoreLCtx StoreRCtx e1 e2
  | Xchg e1 e2 => in2 XchgLCtx XchgRCtx e1 e2
  | FAA e1 e2 => in2 FaaLCtx FaaRCtx e1 e2
  | CmpXchg e0 e1 e2 =>
      match to_val e2 with
      | Some v2 =>
          match to_val e1 with
          | Some v1 => in1 (CmpXchgLCtx v1 v2) e0
          | None => push (CmpXchgMCtx e0 v2) (redex e1)
          end
      | None => push (CmpXchgRCtx e0 e1) (redex e2)
      end
  end.

Lemma push_Some Ki d K r :
  push Ki d = Some (K, r) → ∃ K', d = Some (K', r) ∧ K = K' ++ [Ki].
Proof.
  rewrite /push fmap_Some. intros ([K' r'] & -> & [= -> ->]). by exists K'.
Qed.

Lemma fill_snoc K Ki (e : expr) : fill (K ++ [Ki]) e = fill_item Ki (fill K e).
Proof. by rewrite /fill foldl_app. Qed.

(** The cases of [redex]: the expression itself, or the redex of a part. *)
Local Ltac redex_cases :=
  simpl; try done; repeat case_match;
  repeat match goal with H : to_val _ = Some _ |- _ => apply of_to_val in H end;
  subst; let Hred := fresh "Hred" in intros Hred;
  first [ injection Hred as <- <-
        | apply push_Some in Hred as (K' & Hred & ->) ].

Lemma redex_fill e K r : redex e = Some (K, r) → e = fill K r.
Proof.
  revert K r. induction e; intros K r; redex_cases; try done;
    rewrite fill_snoc /=; f_equal; eauto.
Qed.

Lemma redex_not_value e K r : redex e = Some (K, r) → to_val r = None.
Proof. revert K r. induction e; intros K r; redex_cases; solve [done|eauto]. Qed.

(** Nothing inside the redex can step. *)
Lemma redex_sub_values e K r : redex e = Some (K, r) → sub_redexes_are_values r.
Proof.
  intros Hr. apply ectxi_language_sub_redexes_are_values. revert K r Hr.
  induction e; intros K r; redex_cases; try (by eauto);
    intros [] ? [=]; subst; by eauto.
Qed.

(** A step of the expression is a head step of its redex. *)
Lemma redex_step e K r σ κ e' σ' efs :
  redex e = Some (K, r) → prim_step e σ κ e' σ' efs →
  ∃ r', e' = fill K r' ∧ head_step r σ κ r' σ' efs.
Proof.
  intros Hred Hstep. pose proof (redex_fill _ _ _ Hred) as ->.
  apply (fill_step_inv (K := fill K)) in Hstep as (r' & -> & Hstep);
    last by eapply redex_not_value.
  exists r'. split; first done.
  destruct Hstep as [K' e1 e2 -> -> Hstep].
  assert (K' = empty_ectx) as ->.
  { eapply redex_sub_values; [done..|]. by eapply val_head_stuck. }
  done.
Qed.

(** ** Execution *)

Definition compare_safe (v1 v2 : val) : bool := bool_decide (vals_compare_safe v1 v2).

(** One step of a redex. *)
Definition head_run (r : expr) (σ : state) : option (expr * state * list expr) :=
  match r with
  | Rec f x e => Some (Val (RecV f x e), σ, [])
  | Pair (Val v1) (Val v2) => Some (Val (PairV v1 v2), σ, [])
  | InjL (Val v) => Some (Val (InjLV v), σ, [])
  | InjR (Val v) => Some (Val (InjRV v), σ, [])
  | App (Val (RecV f x e)) (Val v) => Some (subst' x v (subst' f (RecV f x e) e), σ, [])
  | UnOp op (Val v) => (λ w, (Val w, σ, [])) <$> un_op_eval op v
  | BinOp op (Val v1) (Val v2) => (λ w, (Val w, σ, [])) <$> bin_op_eval op v1 v2
  | If (Val (LitV (LitBool b))) e1 e2 => Some (if b then e1 else e2, σ, [])
  | Fst (Val (PairV v1 v2)) => Some (Val v1, σ, [])
  | Snd (Val (PairV v1 v2)) => Some (Val v2, σ, [])
  | Case (Val (InjLV v)) e1 e2 => Some (App e1 (Val v), σ, [])
  | Case (Val (InjRV v)) e1 e2 => Some (App e2 (Val v), σ, [])
  | AllocN (Val (LitV (LitInt n))) (Val v) =>
      let l := Loc (1 + Z.of_nat (size σ.(heap))) in
      if decide (n = 1%Z ∧ σ.(heap) !! l = None)
      then Some (Val (LitV (LitLoc l)), state_init_heap l 1 v σ, []) else None
  | Load (Val (LitV (LitLoc l))) =>
      match σ.(heap) !! l with Some (Some v) => Some (Val v, σ, []) | _ => None end
  | Store (Val (LitV (LitLoc l))) (Val w) =>
      match σ.(heap) !! l with
      | Some (Some _) => Some (Val (LitV LitUnit), state_upd_heap <[l:=Some w]> σ, [])
      | _ => None
      end
  | Xchg (Val (LitV (LitLoc l))) (Val w) =>
      match σ.(heap) !! l with
      | Some (Some v) => Some (Val v, state_upd_heap <[l:=Some w]> σ, [])
      | _ => None
      end
  | CmpXchg (Val (LitV (LitLoc l))) (Val v1) (Val v2) =>
      match σ.(heap) !! l with
      | Some (Some v) =>
          if decide (vals_compare_safe v v1) then
            let b := bool_decide (v = v1) in
            Some (Val (PairV v (LitV (LitBool b))),
                  if b then state_upd_heap <[l:=Some v2]> σ else σ, [])
          else None
      | _ => None
      end
  | FAA (Val (LitV (LitLoc l))) (Val (LitV (LitInt i))) =>
      match σ.(heap) !! l with
      | Some (Some (LitV (LitInt j))) =>
          Some (Val (LitV (LitInt j)),
                state_upd_heap <[l:=Some (LitV (LitInt (j + i)))]> σ, [])
      | _ => None
      end
  | Fork e => Some (Val (LitV LitUnit), σ, [e])
  | _ => None
  end.

Lemma head_run_sound r σ r' σ' efs :
  head_run r σ = Some (r', σ', efs) → head_step r σ [] r' σ' efs.
Proof.
  destruct r; simpl; try done; repeat case_match; subst; try done; intros Hrun;
    try (injection Hrun as <- <- <-); try (apply fmap_Some in Hrun as (w & ? & [= -> -> ->]));
    try by econstructor.
  destruct_and?. subst. constructor; first done.
  intros i Hi1 Hi2. assert (i = 0%Z) as -> by lia. by rewrite loc_add_0.
Qed.

Definition step_thread (i : nat) (ρ : cfg heap_lang) : option (cfg heap_lang) :=
  e ← ρ.1 !! i;
  '(K, r) ← redex e;
  '(r', σ', efs) ← head_run r ρ.2;
  Some (<[i:=fill K r']> ρ.1 ++ efs, σ').

Lemma step_thread_sound i ρ ρ' : step_thread i ρ = Some ρ' → erased_step ρ ρ'.
Proof.
  destruct ρ as [es σ]. rewrite /step_thread /=.
  intros (e & Hi & ([K r] & Hred & ([[r' σ'] efs] & Hrun & [= <-])%bind_Some)%bind_Some)%bind_Some.
  apply redex_fill in Hred as ->. apply head_run_sound in Hrun.
  exists []. rewrite insert_take_drop; last by eapply lookup_lt_Some.
  rewrite -{1}(take_drop_middle es i _ Hi) -app_assoc /=.
  econstructor; [done|done|]. by econstructor.
Qed.

(** Each entry of a schedule lets a thread take a number of steps; fewer if it
    comes to its end. *)
Fixpoint run_thread (i n : nat) (ρ : cfg heap_lang) : cfg heap_lang :=
  match n with
  | 0 => ρ
  | S n => match step_thread i ρ with Some ρ' => run_thread i n ρ' | None => ρ end
  end.
Definition run_schedule (s : list (nat * nat)) (ρ : cfg heap_lang) : cfg heap_lang :=
  foldl (λ ρ '(i, n), run_thread i n ρ) ρ s.

Lemma run_thread_sound i n ρ : rtc erased_step ρ (run_thread i n ρ).
Proof.
  revert ρ. induction n as [|n IH]; intros ρ; simpl; first done.
  destruct (step_thread i ρ) as [ρ'|] eqn:Hstep; last done.
  eapply rtc_l; [by eapply step_thread_sound|done].
Qed.

Theorem run_schedule_sound s ρ : rtc erased_step ρ (run_schedule s ρ).
Proof.
  revert ρ. induction s as [|[i n] s IH]; intros ρ; simpl; first done.
  eapply rtc_transitive; [apply run_thread_sound|done].
Qed.
