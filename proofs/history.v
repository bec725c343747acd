(** One order of all adds and drains (G3, G4, G5), from the specification alone.

    Nothing here opens the code or the invariant: only [spec.v] is used.  A
    client that keeps the list of what has happened so far gets triples in which
    each operation appends its event to that list at one instant between its
    call and its return.  So the list is one total order of all operations; it
    is true to real time; and it is legal: each drain took exactly the samples
    added since the drain before it. *)
From stdpp Require Import gmultiset.
From iris.algebra Require Import lib.mono_list.
From iris.base_logic.lib Require Import invariants.
From iris.proofmode Require Import proofmode.
From striped Require Import code spec.
From iris.heap_lang Require Import lang proofmode notation.
From iris.prelude Require Import options.

Section history.
  Context {V : Type} `{Countable V}.

  Inductive event :=
    | Added (v : V)
    | Drained (X : gmultiset V).

  Implicit Types (h : list event) (X : gmultiset V).

  (** What has been added since the last drain. *)
  Definition step_undrained X (ev : event) : gmultiset V :=
    match ev with Added v => X ⊎ {[+ v +]} | Drained _ => ∅ end.
  Definition undrained h : gmultiset V := foldl step_undrained ∅ h.

  Lemma undrained_snoc h ev : undrained (h ++ [ev]) = step_undrained (undrained h) ev.
  Proof. by rewrite /undrained foldl_app. Qed.

  (** A history is legal if each drain took exactly what was undrained. *)
  Definition legal h : Prop :=
    ∀ h1 X h2, h = h1 ++ Drained X :: h2 → X = undrained h1.

  Lemma legal_nil : legal [].
  Proof. by intros [] X h2. Qed.

  Lemma legal_snoc h ev :
    legal h → (∀ X, ev = Drained X → X = undrained h) → legal (h ++ [ev]).
  Proof.
    intros Hh Hev h1 X h2. destruct h2 as [|ev' h2 _] using rev_ind.
    - intros [-> [= ->]]%app_inj_tail. by apply Hev.
    - rewrite app_comm_cons app_assoc. intros [-> _]%app_inj_tail. by eapply Hh.
  Qed.

  Lemma legal_prefix h1 h2 : legal (h1 ++ h2) → legal h1.
  Proof.
    intros Hh k1 X k2 ->. eapply Hh. by rewrite -app_assoc.
  Qed.

  (** A sample that was added and not drained is undrained still. *)
  Lemma undrained_elem h1 v h2 :
    (∀ j X, h2 !! j ≠ Some (Drained X)) → v ∈ undrained (h1 ++ Added v :: h2).
  Proof.
    induction h2 as [|ev h2 IH] using rev_ind; intros Hno.
    - rewrite undrained_snoc /=. multiset_solver.
    - rewrite app_comm_cons app_assoc undrained_snoc.
      assert (v ∈ undrained (h1 ++ Added v :: h2)) as Hv.
      { apply IH. intros j X Hj. eapply (Hno j). by apply lookup_app_l_Some. }
      destruct ev as [w|X]; simpl; first multiset_solver.
      exfalso. apply (Hno (length h2) X). by rewrite lookup_app_r // Nat.sub_diag.
  Qed.

  Definition is_drained (o : option event) : bool :=
    match o with Some (Drained _) => true | _ => false end.
  Lemma is_drained_spec o : is_drained o → ∃ X, o = Some (Drained X).
  Proof. destruct o as [[v|X]|]; try done. by eexists. Qed.

  (** G4 on histories: a sample that stands before a drain is in the interval of
      that drain or of an earlier one, after the add. *)
  Theorem legal_timely h n k v X :
    legal h → h !! n = Some (Added v) → h !! k = Some (Drained X) → n < k →
    ∃ j Y, n < j ∧ j ≤ k ∧ h !! j = Some (Drained Y) ∧ v ∈ Y.
  Proof.
    revert X. induction k as [k IH] using lt_wf_ind. intros X Hh Hn Hk Hnk.
    (* either there is an earlier drain after the add, or this one has it *)
    destruct (decide (Exists (λ j, n < j ∧ is_drained (h !! j)) (seq 0 k)))
      as [(j & Hj & Hnj & [Y HY]%is_drained_spec)%Exists_exists|Hno].
    - apply elem_of_seq in Hj.
      destruct (IH j ltac:(lia) Y Hh Hn HY Hnj) as (j' & Y' & ? & ? & ? & ?).
      exists j', Y'. split_and!; [done|lia|done|done].
    - exists k, X. split_and!; [done|done|done|].
      pose proof (take_drop_middle h k (Drained X) Hk) as Hsplit.
      rewrite (Hh _ _ _ (eq_sym Hsplit)).
      assert (take k h !! n = Some (Added v)) as Hn' by by rewrite lookup_take.
      rewrite -(take_drop_middle _ _ _ Hn'). apply undrained_elem.
      intros j Y Hj. apply Hno, Exists_exists. exists (S n + j).
      rewrite lookup_drop in Hj.
      assert (S n + j < k).
      { apply lookup_lt_Some in Hj. rewrite take_length in Hj. lia. }
      split; first (apply elem_of_seq; lia). split; first lia.
      rewrite lookup_take // in Hj. by rewrite Hj.
  Qed.

  (** G1 and G3 on histories: the intervals, and what is undrained, add up to the
      samples.  Nothing is lost, nothing is there twice. *)
  Definition added_of (ev : event) : gmultiset V :=
    match ev with Added v => {[+ v +]} | Drained _ => ∅ end.
  Definition drained_of (ev : event) : gmultiset V :=
    match ev with Added _ => ∅ | Drained X => X end.
  Definition union_of (f : event → gmultiset V) h : gmultiset V :=
    foldl (λ X ev, X ⊎ f ev) ∅ h.

  Theorem legal_conserved h :
    legal h → union_of drained_of h ⊎ undrained h = union_of added_of h.
  Proof.
    induction h as [|ev h IH] using rev_ind; intros Hh; first multiset_solver.
    specialize (IH (legal_prefix _ _ Hh)).
    rewrite undrained_snoc /union_of !foldl_app /= -/(union_of _ _) -/(union_of _ _).
    rewrite -IH. destruct ev as [v|X]; simpl.
    - multiset_solver.
    - by rewrite (Hh h X []).
  Qed.
End history.
Global Arguments event V {_ _}.

Class historyG Σ V `{Countable V} := HistoryG {
  historyG_list :> inG Σ (mono_listR (leibnizO (event V)));
}.
Definition historyΣ V `{Countable V} : gFunctors :=
  #[GFunctor (mono_listR (leibnizO (event V)))].
Global Instance subG_historyΣ Σ V `{Countable V} : subG (historyΣ V) Σ → historyG Σ V.
Proof. solve_inG. Qed.

Section client.
  Context `{!heapGS Σ} {V : Type} `{Countable V} `{!historyG Σ V}.
  Context {A : acc_code} {enc : V → val} {summary : gmultiset V → val} {N : namespace}.
  Context `{!striped_stat A enc summary N}.

  (** [history γ γh h]: exactly [h] has happened so far. *)
  Definition history γ (γh : gname) (h : list (event V)) : iProp Σ :=
    stat_content γ (undrained h) ∗ own γh (●ML (h : list (leibnizO (event V)))) ∗ ⌜legal h⌝.

  (** [seen γh h]: all of [h] has happened, perhaps more.  Persistent. *)
  Definition seen (γh : gname) (h : list (event V)) : iProp Σ :=
    own γh (◯ML (h : list (leibnizO (event V)))) ∗ ⌜legal h⌝.

  Global Instance history_timeless γ γh h : Timeless (history γ γh h).
  Proof. apply _. Qed.
  Global Instance seen_persistent γh h : Persistent (seen γh h).
  Proof. apply _. Qed.

  Lemma history_alloc γ : stat_content γ ∅ ==∗ ∃ γh, history γ γh [].
  Proof.
    iIntros "HX". iMod (own_alloc (●ML ([] : list (leibnizO (event V))))) as (γh) "Hh".
    { apply mono_list_auth_valid. }
    iModIntro. iExists γh. iFrame. iPureIntro. apply legal_nil.
  Qed.

  Lemma history_seen γ γh h h' :
    history γ γh h -∗ seen γh h' -∗ ⌜h' `prefix_of` h⌝.
  Proof.
    iIntros "(_ & Hh & _) [Hs _]".
    by iDestruct (own_valid_2 with "Hh Hs") as %?%mono_list_both_valid_L.
  Qed.

  Lemma history_append γh h ev :
    legal (h ++ [ev]) →
    own γh (●ML (h : list (leibnizO (event V)))) ==∗
    own γh (●ML (h ++ [ev] : list (leibnizO (event V)))) ∗ seen γh (h ++ [ev]).
  Proof.
    iIntros (Hlegal) "Hh".
    iMod (own_update _ _ (●ML (h ++ [ev] : list (leibnizO (event V)))) with "Hh") as "Hh".
    { by apply mono_list_update, prefix_app_r. }
    iDestruct (own_mono _ _ (◯ML (h ++ [ev] : list (leibnizO (event V)))) with "Hh") as "#$".
    { apply mono_list_included. }
    by iFrame "Hh".
  Qed.

  (** ** G5: one cut

      The operations append to one history, each at one instant between its call
      and its return.  [history] says that it is legal. *)

  Theorem add_history γ γh s i v :
    is_stat γ s -∗ stripe_own γ i -∗ ∀ Φ,
    AU << ∃∃ h, history γ γh h >> @ ⊤ ∖ ↑N, ∅
       << history γ γh (h ++ [Added v]) ∗ seen γh (h ++ [Added v]),
          COMM stripe_own γ i -∗ Φ #() >> -∗
    WP add A s i (enc v) {{ Φ }}.
  Proof.
    iIntros "#Hs Hi" (Φ) "AU". iApply (add_spec with "Hs Hi").
    iAuIntro. iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (h) "(HX & Hh & %Hlegal)". iAaccIntro with "HX".
    { iIntros "HX". iFrame "HX Hh". iSplitR; first done. by iIntros "!> $". }
    iIntros "HX". iMod (history_append _ _ (Added v) with "Hh") as "[Hh $]".
    { by apply legal_snoc. }
    iModIntro. iSplitL; last by auto.
    rewrite /history undrained_snoc. iFrame. iPureIntro. by apply legal_snoc.
  Qed.

  Theorem drain_history γ γh s :
    is_stat γ s -∗
    <<< ∀∀ h, history γ γh h >>>
      drain A s @ ↑N
    <<< let h' := h ++ [Drained (undrained h)] in history γ γh h' ∗ seen γh h',
        RET summary (undrained h) >>>.
  Proof.
    iIntros "#Hs" (Φ) "AU". awp_apply (drain_spec with "Hs").
    iApply (aacc_aupd_commit with "AU"); first done.
    iIntros (h) "(HX & Hh & %Hlegal)". iAaccIntro with "HX".
    { iIntros "HX". iFrame "HX Hh". iSplitR; first done. by iIntros "!> $". }
    assert (legal (h ++ [Drained (undrained h)])).
    { apply legal_snoc; [done|by intros X [= ->]]. }
    iIntros "HX". iMod (history_append _ _ (Drained (undrained h)) with "Hh") as "[Hh $]".
    { done. }
    iModIntro. iSplitL; last by auto.
    rewrite /history undrained_snoc. by iFrame.
  Qed.

  (** ** G3 and G4, for threads that share the history in an invariant

      [seen γh h0] before the call and [seen γh (h0 ++ h1 ++ [ev])] after the
      return: the operation stands after all that the caller had seen, so the
      order is true to real time. *)

  Definition historyN : namespace := nroot .@ "history".
  Definition shared γ γh : iProp Σ := inv historyN (∃ h, history γ γh h).

  (** A logically atomic triple gives its caller no later; a call takes a step. *)
  Lemma wp_call_later (e : expr) (P : iProp Σ) Φ :
    TCEq (to_val e) None →
    ▷ P -∗ WP e {{ v, P ={⊤}=∗ Φ v }} -∗ WP e {{ Φ }}.
  Proof. iIntros (He) "HP He". iApply (wp_step_fupd _ _ ⊤ _ P with "[$HP]"); by try iFrame. Qed.

  Theorem add_seen γ γh h0 s i v :
    N ## historyN →
    {{{ is_stat γ s ∗ shared γ γh ∗ seen γh h0 ∗ stripe_own γ i }}}
      add A s i (enc v)
    {{{ h1, RET #(); stripe_own γ i ∗ seen γh (h0 ++ h1 ++ [Added v]) }}}.
  Proof.
    iIntros (HN Φ) "(#Hs & #Hinv & #Hseen & Hi) HΦ".
    iApply (wp_call_later with "HΦ"). iApply (add_history with "Hs Hi").
    iAuIntro. iInv historyN as (h) ">Hh".
    iDestruct (history_seen with "Hh Hseen") as %[h1 ->].
    iAaccIntro with "Hh".
    { iIntros "Hh !>". iSplitL "Hh"; [by iExists _|by iFrame]. }
    iIntros "[Hh #Hseen'] !>". iSplitL "Hh"; first by iExists _.
    iIntros "Hi HΦ !>". iApply ("HΦ" $! h1). rewrite app_assoc. by iFrame.
  Qed.

  (** G3: what a drain returns is the summary of a multiset of samples, whole.
      G4: a sample whose add had returned before the drain was called is in this
      interval or in an earlier one. *)
  Theorem drain_seen γ γh h0 s :
    N ## historyN →
    {{{ is_stat γ s ∗ shared γ γh ∗ seen γh h0 }}}
      drain A s
    {{{ h1 X, RET (summary X);
        let h := h0 ++ h1 ++ [Drained X] in
        seen γh h ∗
        ⌜∀ n v, h0 !! n = Some (Added v) →
           ∃ j Y, n < j ∧ h !! j = Some (Drained Y) ∧ v ∈ Y⌝ }}}.
  Proof.
    iIntros (HN Φ) "(#Hs & #Hinv & #Hseen) HΦ".
    iApply (wp_call_later with "HΦ"). awp_apply (drain_history with "Hs").
    iInv historyN as (h) ">Hh".
    iDestruct (history_seen with "Hh Hseen") as %[h1 ->].
    iAaccIntro with "Hh".
    { iIntros "Hh !>". iSplitL "Hh"; [by iExists _|by iFrame]. }
    iIntros "[Hh #Hseen'] !>". iSplitL "Hh"; first by iExists _.
    iIntros "HΦ !>". iApply ("HΦ" $! h1). rewrite app_assoc. iFrame "Hseen'".
    iDestruct "Hseen'" as "[_ %Hlegal]". iPureIntro. intros n v Hn.
    destruct (legal_timely _ n (length (h0 ++ h1)) v (undrained (h0 ++ h1)) Hlegal)
      as (j & Y & ? & _ & ? & ?).
    - by do 2 apply lookup_app_l_Some.
    - by rewrite lookup_app_r // Nat.sub_diag.
    - apply lookup_lt_Some in Hn. rewrite app_length. lia.
    - by exists j, Y.
  Qed.
End client.
