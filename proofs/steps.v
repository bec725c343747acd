(** [add] is wait-free (G6): a bound on its steps in every interleaving.

    [within n k e]: whatever other threads do to the heap between any two steps
    of this one, it takes at most [n] steps, of which at most [k] on shared
    memory, before it is done.  There is no hypothesis about the heap, nor about
    the arguments: a bound that holds for all of them. *)
From iris.program_logic Require Import language ectx_language.
From striped Require Import interp code moments.
From iris.heap_lang Require Import lang notation tactics.
From iris.prelude Require Import options.

(** Does the expression's next step access memory? *)
Definition is_access (r : expr) : bool :=
  match r with
  | AllocN _ _ | Free _ | Load _ | Store _ _ | Xchg _ _ | CmpXchg _ _ _ | FAA _ _ => true
  | _ => false
  end.
Definition accesses (e : expr) : nat :=
  match redex e with Some (_, r) => if is_access r then 1 else 0 | None => 0 end.

(** A run of one thread: each step may start from any state at all. *)
Inductive thread_run : nat → nat → expr → expr → Prop :=
  | thread_run_nil e : thread_run 0 0 e e
  | thread_run_step n k e e' e'' σ κ σ' efs :
      prim_step e σ κ e' σ' efs →
      thread_run n k e' e'' →
      thread_run (S n) (accesses e + k) e e''.

Fixpoint within (n k : nat) (e : expr) : Prop :=
  ∀ e' σ κ σ' efs, prim_step e σ κ e' σ' efs →
    match n with
    | 0 => False
    | S n => accesses e ≤ k ∧ within n (k - accesses e) e'
    end.

Lemma within_run n k e n' k' e' :
  within n k e → thread_run n' k' e e' → n' ≤ n ∧ k' ≤ k.
Proof.
  intros Hw Hrun. revert n k Hw. induction Hrun as [|n' k' e e' e'' σ κ σ' efs Hstep _ IH];
    intros n k Hw; first lia.
  destruct n as [|n]; first by destruct (Hw _ _ _ _ _ Hstep).
  destruct (Hw _ _ _ _ _ Hstep) as [Hk Hw']. apply IH in Hw'. lia.
Qed.

Lemma within_mono n k n' k' e : within n k e → n ≤ n' → k ≤ k' → within n' k' e.
Proof.
  revert k n' k' e. induction n as [|n IH]; intros k n' k' e Hw Hn Hk;
    destruct n' as [|n']; intros e' σ κ σ' efs Hstep; destruct (Hw _ _ _ _ _ Hstep); [lia..|].
  split; first lia. eapply IH; [done|lia..].
Qed.

Lemma within_value n k v : within n k (Val v).
Proof. destruct n; intros e' σ κ σ' efs Hstep; by apply val_stuck in Hstep. Qed.

(** One step, at the redex. *)
Lemma within_step n k e K r :
  redex e = Some (K, r) →
  (if is_access r then 1 else 0) ≤ k →
  (∀ r' σ κ σ' efs, head_step r σ κ r' σ' efs →
     within n (k - if is_access r then 1 else 0) (fill K r')) →
  within (S n) k e.
Proof.
  intros Hred Hk Hw e' σ κ σ' efs Hstep. rewrite /accesses Hred. split; first done.
  eapply redex_step in Hstep as (r' & -> & Hhead); last done. by eapply Hw.
Qed.

(** A call: the case that has to unfold the function called. *)
Lemma within_call n k e K v1 v2 f x e1 :
  redex e = Some (K, App (Val v1) (Val v2)) → v1 = RecV f x e1 →
  within n k (fill K (subst' x v2 (subst' f (RecV f x e1) e1))) →
  within (S n) k e.
Proof.
  intros Hred -> Hw. eapply within_step; [done|simpl; lia|].
  intros r' σ κ σ' efs Hhead. inv_head_step. by rewrite Nat.sub_0_r.
Qed.

(** Sequential composition. *)
Definition plain_item (Ki : ectx_item) : Prop :=
  match Ki with ResolveLCtx _ _ _ | ResolveMCtx _ _ | ResolveRCtx _ _ => False | _ => True end.

Lemma redex_fill_item Ki e :
  plain_item Ki → to_val e = None → redex (fill_item Ki e) = push Ki (redex e).
Proof. intros HKi He. destruct Ki; simpl in *; by rewrite ?He. Qed.

Lemma accesses_fill_item Ki e :
  plain_item Ki → to_val e = None → accesses (fill_item Ki e) = accesses e.
Proof.
  intros HKi He. rewrite /accesses redex_fill_item // /push.
  by destruct (redex e) as [[K r]|].
Qed.

Lemma within_bind n1 n2 k1 k2 Ki e :
  plain_item Ki →
  within n1 k1 e → (∀ v, within n2 k2 (fill_item Ki (Val v))) →
  within (n1 + n2) (k1 + k2) (fill_item Ki e).
Proof.
  intros HKi. revert k1 e. induction n1 as [|n1 IH]; intros k1 e Hw Hv;
    destruct (to_val e) as [v|] eqn:He.
  - apply of_to_val in He as <-. eapply within_mono; [apply Hv|lia..].
  - destruct n2 as [|n2]; intros e' σ κ σ' efs Hstep;
      apply (fill_step_inv (K := fill_item Ki)) in Hstep as (e'' & -> & Hstep); try done;
      by destruct (Hw _ _ _ _ _ Hstep).
  - apply of_to_val in He as <-. eapply within_mono; [apply Hv|lia..].
  - intros e' σ κ σ' efs Hstep.
    apply (fill_step_inv (K := fill_item Ki)) in Hstep as (e'' & -> & Hstep); last done.
    destruct (Hw _ _ _ _ _ Hstep) as [Hk Hw']. rewrite accesses_fill_item //.
    split; first lia. replace (k1 + k2 - accesses e) with (k1 - accesses e + k2) by lia.
    by apply IH.
Qed.

Global Opaque within.

(** Symbolic execution, one step. *)
Ltac step :=
  first
  [ apply within_value
  | eapply within_call; [reflexivity|reflexivity|]
  | eapply within_step; [reflexivity|simpl; lia|];
    let Hh := fresh "Hh" in
    intros ? ? ? ? ? Hh; inversion Hh; subst; clear Hh ];
  simpl.

Lemma option_min_within a b : within 12 0 (option_min (Val a) (Val b)).
Proof. repeat step. Qed.
Lemma option_max_within a b : within 12 0 (option_max (Val a) (Val b)).
Proof. repeat step. Qed.

(** A call, inside [Ki], of what is known to be within [n1] and [k1]. *)
Lemma within_bind_known n1 k1 n k Ki e :
  plain_item Ki → within n1 k1 e → n1 ≤ n → k1 ≤ k →
  (∀ v, within (n - n1) (k - k1) (fill_item Ki (Val v))) →
  within n k (fill_item Ki e).
Proof.
  intros HKi He Hn Hk Hv. replace n with (n1 + (n - n1)) by lia.
  replace k with (k1 + (k - k1)) by lia. by apply within_bind.
Qed.

Ltac bind Ki lem :=
  eapply (within_bind_known _ _ _ _ Ki);
  [exact I|eapply lem|simpl; lia|simpl; lia|intros ?; simpl].

(** Symbolic execution to the end, calls of the two functions above in one go. *)
Ltac steps :=
  repeat
    match goal with
    | |- within _ _ (App ?f (Store ?a (App (App (Val option_min) (Val _)) (Val _)))) =>
        eapply (within_bind_known (12 + 2) 1 _ _ (AppRCtx f)); [exact I| |simpl; lia|simpl; lia|intros ?; simpl];
        [bind (StoreRCtx a) option_min_within|]
    | |- within _ _ (Store ?a (App (App (Val option_max) (Val _)) (Val _))) =>
        bind (StoreRCtx a) option_max_within
    | |- _ => step
    end.

Lemma moments_record_within (l v : val) :
  within 100 10 (acc_record moments_code (Val l) (Val v)).
Proof. steps. Qed.

(** [add] itself: with an accumulator whose [record] takes at most [n] steps and
    [k] memory accesses, at most [74 + n] steps and [4 + k] accesses: the sequence
    number read and written, the epoch read, the sequence number written. *)
Theorem add_within A n k :
  (∀ l v : val, within n k (A.(acc_record) (Val l) (Val v))) →
  ∀ s i v : val, within (74 + n) (4 + k) (add A (Val s) (Val i) (Val v)).
Proof.
  intros Hrec s i v.
  repeat
    match goal with
    | |- within _ _ (App ?f (App (App (Val (acc_record _)) (Val _)) (Val _))) =>
        eapply (within_bind_known n k _ _ (AppRCtx f));
        [exact I|apply Hrec|lia|lia|intros ?; simpl];
        eapply (within_mono 12 1); [|lia..]
    | |- _ => step
    end.
Qed.

(** With the moments, whose [record] reads and writes each of its five words
    once: at most 14 memory accesses, 4 of them to what other threads may see. *)
Corollary add_moments_within (s i v : val) :
  within 174 14 (add moments_code (Val s) (Val i) (Val v)).
Proof. apply (add_within moments_code 100 10), moments_record_within. Qed.

(** G6, on runs of one thread. *)
Theorem add_wait_free (s i v : val) n k e :
  thread_run n k (add moments_code (Val s) (Val i) (Val v)) e → n ≤ 174 ∧ k ≤ 14.
Proof. apply within_run, add_moments_within. Qed.

(** ** In executions of whole programs

    What a thread does in an execution is a run of it: the others change only the
    state in which its next step starts. *)

Lemma step_at (ρ ρ' : cfg heap_lang) j e :
  erased_step ρ ρ' → ρ.1 !! j = Some e →
  ∃ e', ρ'.1 !! j = Some e' ∧
    (e' = e ∨ ∃ σ κ σ' efs, prim_step (e : expr) σ κ e' σ' efs).
Proof.
  intros [κ [e1 σ1 e2 σ2 efs t1 t2 -> -> Hstep]] Hj. simpl in *.
  destruct (decide (j = length t1)) as [->|Hne].
  - rewrite list_lookup_middle // in Hj. injection Hj as ->.
    exists e2. rewrite list_lookup_middle //. split; [done|]. right. by eauto 10.
  - exists e. split; last by left.
    destruct (decide (j < length t1)) as [Hlt|Hge].
    + rewrite lookup_app_l // in Hj. by rewrite lookup_app_l.
    + rewrite lookup_app_r in Hj; last lia. rewrite lookup_app_r; last lia.
      destruct (j - length t1) as [|m] eqn:Hm; first lia. simpl in *.
      by apply lookup_app_l_Some.
Qed.

Theorem execution_is_run (ρ ρ' : cfg heap_lang) j e :
  rtc erased_step ρ ρ' → ρ.1 !! j = Some e →
  ∃ n k e', ρ'.1 !! j = Some e' ∧ thread_run n k e e'.
Proof.
  intros Hrun. revert e. induction Hrun as [ρ|ρ1 ρ2 ρ3 Hstep _ IH]; intros e Hj.
  - exists 0, 0, e. split; [done|constructor].
  - destruct (step_at _ _ _ _ Hstep Hj) as (e1 & Hj1 & [->|(σ & κ & σ' & efs & Hprim)]).
    + by apply IH.
    + destruct (IH _ Hj1) as (n & k & e' & Hj' & Hr).
      exists (S n), (accesses e + k), e'. split; first done. by econstructor.
Qed.
