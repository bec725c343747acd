(** Nothing lost, nothing twice (G1), from the specification alone.

    A program of any number of threads: writers, each with any finite list of
    samples, and readers, each draining any number of times, all at once.  When
    all have been joined a last drain is done.  The intervals returned, by all
    readers and by the last drain, add up to the samples of all writers. *)
From stdpp Require Import gmultiset.
From iris.algebra Require Import gmultiset lib.frac_auth.
From iris.base_logic.lib Require Import invariants.
From iris.proofmode Require Import proofmode.
From striped Require Import code spec.
From iris.heap_lang Require Import lang proofmode notation.
From iris.heap_lang.lib Require Import par.
From iris.prelude Require Import options.

(** ** The program *)

Definition append : val := rec: "append" "l1" "l2" :=
  match: "l1" with
    NONE => "l2"
  | SOME "c" => SOME (Fst "c", "append" (Snd "c") "l2")
  end.

Section program.
  Context (A : acc_code).

  Definition add_all : val := rec: "add_all" "s" "i" "vs" :=
    match: "vs" with
      NONE => #()
    | SOME "c" => add A "s" "i" (Fst "c");; "add_all" "s" "i" (Snd "c")
    end.

  (** A writer leases a stripe, adds its samples and hands the stripe over. *)
  Definition write : val := λ: "s" "vs",
    let: "i" := lease A "s" in
    add_all "s" "i" "vs";;
    hand_over "s" "i".

  (** A reader drains [k] times; it returns the list of the intervals. *)
  Definition read : val := rec: "read" "s" "k" :=
    if: "k" = #0 then NONE
    else let: "x" := drain A "s" in SOME ("x", "read" "s" ("k" - #1)).

  Definition work : val := λ: "s" "t",
    match: "t" with
      InjL "vs" => write "s" "vs";; NONE
    | InjR "k" => read "s" "k"
    end.

  (** All threads at once; the list of all intervals. *)
  Definition run_threads : val := rec: "run" "s" "ts" :=
    match: "ts" with
      NONE => NONE
    | SOME "c" =>
        let: "r" := (work "s" (Fst "c") ||| "run" "s" (Snd "c")) in
        append (Fst "r") (Snd "r")
    end.

  Definition run : val := λ: "s" "ts",
    let: "r" := run_threads "s" "ts" in
    SOME (drain A "s", "r").
End program.

(** ** The theorem *)

(** A thread: a writer with its samples, or a reader with its number of drains. *)
Inductive thread (V : Type) :=
  | Writer (vs : list V)
  | Reader (k : nat).
Arguments Writer {V} vs.
Arguments Reader {V} k.

Section samples.
  Context {V : Type} `{Countable V}.

  Definition thread_samples (t : thread V) : gmultiset V :=
    match t with Writer vs => list_to_set_disj vs | Reader _ => ∅ end.
  Definition all_samples (ts : list (thread V)) : gmultiset V :=
    foldr (λ t X, thread_samples t ⊎ X) ∅ ts.
  Definition munion (Xs : list (gmultiset V)) : gmultiset V := foldr disj_union ∅ Xs.

  Lemma munion_app Xs Ys : munion (Xs ++ Ys) = munion Xs ⊎ munion Ys.
  Proof. induction Xs as [|X Xs IH]; simpl; [|rewrite IH]; multiset_solver. Qed.
End samples.

Class conservationG Σ V `{Countable V} := ConservationG {
  conservationG_frac :> inG Σ (frac_authR (gmultisetR V));
  conservationG_spawn :> spawnG Σ;
}.
Definition conservationΣ V `{Countable V} : gFunctors :=
  #[GFunctor (frac_authR (gmultisetR V)); spawnΣ].
Global Instance subG_conservationΣ Σ V `{Countable V} :
  subG (conservationΣ V) Σ → conservationG Σ V.
Proof. solve_inG. Qed.

Section client.
  Context `{!heapGS Σ} {V : Type} `{Countable V} `{Hcons : !conservationG Σ V}.
  Context {A : acc_code} {enc : V → val} {summary : gmultiset V → val} {N : namespace}.
  Context `{!striped_stat A enc summary N}.

  Definition thread_val (t : thread V) : val :=
    match t with
    | Writer vs => InjLV (list_val (enc <$> vs))
    | Reader k => InjRV #k
    end.

  Definition conservationN : namespace := nroot .@ "conservation".

  (** [γa] counts the samples added, [γd] those drained; each thread holds its
      part of both. *)
  Definition balance γ γa γd : iProp Σ :=
    ∃ X D, stat_content γ X ∗ own γa (●F (D ⊎ X)) ∗ own γd (●F D).
  Definition balanced γ γa γd : iProp Σ := inv conservationN (balance γ γa γd).

  Definition part (γ : gname) (q : Qp) (X : gmultiset V) : iProp Σ := own γ (◯F{q} X).

  Lemma part_op γ q X Y : part γ q (X ⊎ Y) ⊣⊢ part γ (q/2) X ∗ part γ (q/2) Y.
  Proof. rewrite /part -own_op -frac_auth_frag_op Qp.div_2 gmultiset_op //. Qed.

  Lemma part_grow γ q X Y Z :
    own γ (●F Z) -∗ part γ q X ==∗ own γ (●F (Z ⊎ Y)) ∗ part γ q (X ⊎ Y).
  Proof.
    iIntros "Ha Hp". rewrite /part -own_op. iApply (own_update_2 with "Ha Hp").
    apply frac_auth_update, gmultiset_local_update_alloc.
  Qed.
  Lemma part_whole γ X Z : own γ (●F Z) -∗ part γ 1 X -∗ ⌜Z = X⌝.
  Proof.
    iIntros "Ha Hp". by iDestruct (own_valid_2 with "Ha Hp") as %?%frac_auth_agree_L.
  Qed.

  Lemma wp_call_later (e : expr) (P : iProp Σ) Φ :
    TCEq (to_val e) None →
    ▷ P -∗ WP e {{ v, P ={⊤}=∗ Φ v }} -∗ WP e {{ Φ }}.
  Proof. iIntros (He) "HP He". iApply (wp_step_fupd _ _ ⊤ _ P with "[$HP]"); by try iFrame. Qed.

  Context (HN : N ## conservationN).

  Lemma add_part γ γa γd s i q X v :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ stripe_own γ i ∗ part γa q X }}}
      add A s i (enc v)
    {{{ RET #(); stripe_own γ i ∗ part γa q (X ⊎ {[+ v +]}) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Hi & Hp) HΦ". iApply (wp_call_later with "HΦ").
    iApply (add_spec with "Hs Hi").
    iAuIntro. iInv conservationN as (Y D) "(>HX & >Ha & >Hd)". iAaccIntro with "HX".
    { iIntros "HX !>". iSplitR "Hp"; [iExists _, _|]; by iFrame. }
    iIntros "HX". iMod (part_grow with "Ha Hp") as "[Ha Hp]". iModIntro.
    iSplitL "HX Ha Hd".
    { iExists _, _. iFrame "HX Hd". by rewrite assoc_L. }
    iIntros "Hi HΦ !>". iApply "HΦ". iFrame.
  Qed.

  Lemma add_all_spec γ γa γd s i q X vs :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ stripe_own γ i ∗ part γa q X }}}
      add_all A s i (list_val (enc <$> vs))
    {{{ RET #(); stripe_own γ i ∗ part γa q (X ⊎ list_to_set_disj vs) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Hi & Hp) HΦ".
    iInduction vs as [|v vs] "IH" forall (X); wp_rec; wp_pures.
    - iApply "HΦ". rewrite right_id_L. by iFrame.
    - wp_apply (add_part with "[$Hs $Hinv $Hi $Hp]"). iIntros "[Hi Hp]". wp_pures.
      iApply ("IH" with "Hi Hp"). iIntros "!> [Hi Hp]". iApply "HΦ". iFrame "Hi".
      by rewrite list_to_set_disj_cons assoc_L.
  Qed.

  Lemma write_spec γ γa γd s q vs :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ part γa q ∅ }}}
      write A s (list_val (enc <$> vs))
    {{{ RET #(); part γa q (list_to_set_disj vs) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Hp) HΦ". wp_lam. wp_pures.
    wp_apply (lease_spec with "Hs"). iIntros (i) "Hi". wp_let.
    wp_apply (add_all_spec with "[$Hs $Hinv $Hi $Hp]"). iIntros "[Hi Hp]". wp_pures.
    wp_apply (hand_over_spec with "[$Hs $Hi]"). iIntros "_". iApply "HΦ".
    by rewrite left_id_L.
  Qed.

  Lemma drain_part γ γa γd s q X :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ part γd q X }}}
      drain A s
    {{{ Y, RET (summary Y); part γd q (X ⊎ Y) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Hp) HΦ". iApply (wp_call_later with "HΦ").
    awp_apply (drain_spec with "Hs").
    iInv conservationN as (Y D) "(>HX & >Ha & >Hd)". iAaccIntro with "HX".
    { iIntros "HX !>". iSplitR "Hp"; [iExists _, _|]; by iFrame. }
    iIntros "HX". iMod (part_grow _ _ _ Y with "Hd Hp") as "[Hd Hp]". iModIntro.
    iSplitL "HX Ha Hd".
    { iExists _, _. iFrame "HX Hd". by rewrite right_id_L. }
    iIntros "HΦ !>". by iApply "HΦ".
  Qed.

  Lemma read_spec γ γa γd s q X (k : nat) :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ part γd q X }}}
      read A s #k
    {{{ Ys, RET (list_val (summary <$> Ys)); part γd q (X ⊎ munion Ys) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Hp) HΦ".
    iInduction k as [|k] "IH" forall (X Φ); wp_rec; wp_pures.
    - iApply ("HΦ" $! []). by rewrite right_id_L.
    - wp_apply (drain_part with "[$Hs $Hinv $Hp]"). iIntros (Y) "Hp". wp_pures.
      replace (S k - 1)%Z with (Z.of_nat k) by lia.
      wp_apply ("IH" with "Hp"). iIntros (Ys) "Hp". wp_pures.
      iApply ("HΦ" $! (Y :: Ys)). by rewrite /= assoc_L.
  Qed.

  Lemma work_spec γ γa γd s q t :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ part γa q ∅ ∗ part γd q ∅ }}}
      work A s (thread_val t)
    {{{ Ys, RET (list_val (summary <$> Ys));
        part γa q (thread_samples t) ∗ part γd q (munion Ys) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Ha & Hd) HΦ". wp_lam. destruct t as [vs|k]; wp_pures.
    - wp_apply (write_spec with "[$Hs $Hinv $Ha]"). iIntros "Ha". wp_pures.
      iApply ("HΦ" $! []). by iFrame.
    - wp_apply (read_spec with "[$Hs $Hinv $Hd]"). iIntros (Ys) "Hd".
      iApply ("HΦ" $! Ys). rewrite left_id_L. by iFrame.
  Qed.

  Lemma append_spec l1 l2 :
    {{{ True }}} append (list_val l1) (list_val l2) {{{ RET (list_val (l1 ++ l2)); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iInduction l1 as [|x l1] "IH" forall (Φ); wp_rec; wp_pures.
    - by iApply "HΦ".
    - wp_apply "IH". iIntros "_". wp_pures. by iApply "HΦ".
  Qed.

  Lemma run_threads_spec γ γa γd s q ts :
    {{{ is_stat γ s ∗ balanced γ γa γd ∗ part γa q ∅ ∗ part γd q ∅ }}}
      run_threads A s (list_val (thread_val <$> ts))
    {{{ Ys, RET (list_val (summary <$> Ys));
        part γa q (all_samples ts) ∗ part γd q (munion Ys) }}}.
  Proof using Type HN.
    iIntros (Φ) "(#Hs & #Hinv & Ha & Hd) HΦ".
    iInduction ts as [|t ts] "IH" forall (q Φ); wp_rec; wp_pures.
    { iApply ("HΦ" $! []). by iFrame. }
    iEval (rewrite -(left_id_L ∅ disj_union ∅) part_op) in "Ha Hd".
    iDestruct "Ha" as "[Ha Ha']". iDestruct "Hd" as "[Hd Hd']".
    wp_smart_apply (wp_par
      (λ v, ∃ Ys, ⌜v = list_val (summary <$> Ys)⌝ ∗
              part γa (q/2) (thread_samples t) ∗ part γd (q/2) (munion Ys))%I
      (λ v, ∃ Ys, ⌜v = list_val (summary <$> Ys)⌝ ∗
              part γa (q/2) (all_samples ts) ∗ part γd (q/2) (munion Ys))%I
      with "[Ha Hd] [Ha' Hd']").
    - wp_pures. wp_apply (work_spec with "[$Hs $Hinv $Ha $Hd]"). iIntros (Ys) "H".
      iExists Ys. by iFrame.
    - wp_pures. wp_apply ("IH" with "Ha' Hd'"). iIntros (Ys) "H". iExists Ys. by iFrame.
    - iIntros (v1 v2) "[(%Ys1 & -> & Ha & Hd) (%Ys2 & -> & Ha' & Hd')] !>". wp_pures.
      wp_apply (append_spec with "[//]"). iIntros "_".
      rewrite -fmap_app. iApply "HΦ". rewrite munion_app /= !part_op. iFrame.
  Qed.

  (** G1, and by [munion] and the fold of any commutative monoid G2: the
      intervals add up to the samples. *)
  Theorem conservation γ s ts :
    {{{ is_stat γ s ∗ stat_content γ ∅ }}}
      run A s (list_val (thread_val <$> ts))
    {{{ Ys, RET (list_val (summary <$> Ys)); ⌜munion Ys = all_samples ts⌝ }}}.
  Proof using Type Hcons HN.
    iIntros (Φ) "[#Hs HX] HΦ".
    iMod (own_alloc (●F (∅ : gmultiset V) ⋅ ◯F ∅)) as (γa) "[Ha Ha']".
    { by apply frac_auth_valid. }
    iMod (own_alloc (●F (∅ : gmultiset V) ⋅ ◯F ∅)) as (γd) "[Hd Hd']".
    { by apply frac_auth_valid. }
    iMod (inv_alloc conservationN _ (balance γ γa γd) with "[HX Ha Hd]") as "#Hinv".
    { iExists ∅, ∅. rewrite right_id_L. by iFrame. }
    wp_lam. wp_pures. wp_apply (run_threads_spec with "[$Hs $Hinv $Ha' $Hd']").
    iIntros (Ys) "[Ha Hd]". wp_pures.
    (* the last drain: all parts are here, so what is left is known *)
    wp_bind (drain _ _). iApply (wp_call_later with "HΦ"). awp_apply (drain_spec with "Hs").
    iInv conservationN as (X D) "(>HX & >Ha' & >Hd')".
    iDestruct (part_whole with "Ha' Ha") as %HX.
    iDestruct (part_whole with "Hd' Hd") as %->.
    iAaccIntro with "HX".
    { iIntros "HX !>". iSplitR "Ha Hd"; [iExists _, _|]; by iFrame. }
    iIntros "HX". iMod (part_grow _ _ _ X with "Hd' Hd") as "[Hd' _]". iModIntro.
    iSplitL "HX Ha' Hd'".
    { iExists _, _. iFrame "HX Hd'". by rewrite right_id_L. }
    iIntros "HΦ !>". wp_pures. iApply ("HΦ" $! (X :: Ys)). iPureIntro.
    by rewrite /= comm_L.
  Qed.
End client.
