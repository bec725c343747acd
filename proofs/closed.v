(** Closed programs, and what they do by adequacy: statements about HeapLang's
    operational semantics alone, in which Iris no longer occurs.

    The programs use the moments, so all parameters are filled in. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.proofmode Require Import proofmode.
From striped Require Import code spec proof monoid moments conservation.
From iris.heap_lang Require Import lang proofmode notation adequacy.
From iris.heap_lang.lib Require Import assert par.
From iris.prelude Require Import options.

Definition closedΣ : gFunctors := #[heapΣ; stripedΣ Z; conservationΣ Z].

Definition statN : namespace := nroot .@ "stat".

(** ** A program that returns its intervals *)

Definition threads_val (ts : list (thread Z)) : val :=
  list_val (thread_val (enc := int_val) <$> ts).

Definition intervals_program (ts : list (thread Z)) : expr :=
  let: "s" := new_stat #() in
  run moments_code "s" (threads_val ts).

(** ** A program that checks its intervals *)

Definition m_count_of : val := λ: "m", Fst "m".
Definition m_sum_of : val := λ: "m", Fst (Snd "m").
Definition m_squares_of : val := λ: "m", Fst (Snd (Snd "m")).
Definition m_min_of : val := λ: "m", Fst (Snd (Snd (Snd "m"))).
Definition m_max_of : val := λ: "m", Snd (Snd (Snd (Snd "m"))).

(** The mean lies between the extremes; no extremes if and only if no samples. *)
Definition check_interval : val := λ: "m",
  match: m_min_of "m" with
    NONE => assert: (m_count_of "m" = #0);; assert: (m_sum_of "m" = #0)
  | SOME "lo" =>
      match: m_max_of "m" with
        NONE => assert: #false
      | SOME "hi" =>
          assert: (#0 < m_count_of "m");;
          assert: (m_count_of "m" * "lo" ≤ m_sum_of "m");;
          assert: (m_sum_of "m" ≤ m_count_of "m" * "hi")
      end
  end.

Definition plus_interval : val := λ: "m" "n",
  (m_count_of "m" + m_count_of "n",
   (m_sum_of "m" + m_sum_of "n",
    (m_squares_of "m" + m_squares_of "n",
     (option_min (m_min_of "m") (m_min_of "n"),
      option_max (m_max_of "m") (m_max_of "n"))))).

(** Checks every interval and adds them up. *)
Definition check_all : val := rec: "check" "l" :=
  match: "l" with
    NONE => (#0, (#0, (#0, (NONE, NONE))))
  | SOME "c" =>
      check_interval (Fst "c");;
      plus_interval (Fst "c") ("check" (Snd "c"))
  end.

Definition asserting_program (ts : list (thread Z)) : expr :=
  let m := moments_of (all_samples ts) in
  let: "s" := new_stat #() in
  let: "total" := check_all (run moments_code "s" (threads_val ts)) in
  assert: (m_count_of "total" = #m.(m_count));;
  assert: (m_sum_of "total" = #m.(m_sum));;
  assert: (m_squares_of "total" = #m.(m_squares));;
  assert: (m_min_of "total" = option_val m.(m_min));;
  assert: (m_max_of "total" = option_val m.(m_max)).

(** ** Both, from the specification alone *)

Section client.
  Context `{!heapGS Σ, !conservationG Σ Z} {N : namespace}.
  Context `{Hstat : !striped_stat moments_code int_val moments_summary N}.
  Context (HN : N ## conservationN).

  Lemma intervals_program_spec ts :
    {{{ True }}} intervals_program ts
    {{{ Ys, RET (list_val (moments_summary <$> Ys)); ⌜munion Ys = all_samples ts⌝ }}}.
  Proof using Type* HN.
    iIntros (Φ) "_ HΦ". rewrite /intervals_program.
    wp_apply (new_stat_spec with "[//]"). iIntros (γ s) "[#Hs HX]". wp_let.
    wp_apply (conservation HN with "[$Hs $HX]"). iIntros (Ys) "%HYs". by iApply "HΦ".
  Qed.

  (** One assert that holds. *)
  Local Ltac check_step :=
    wp_smart_apply wp_assert; repeat (wp_lam; wp_pures);
    iSplitR; [by rewrite ?bool_decide_true|]; iIntros "!> !>"; try wp_pures.

  Lemma check_interval_spec X :
    {{{ True }}} check_interval (moments_summary X) {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". pose proof (moments_plausible X) as HX.
    rewrite /fold_summary /moments_val. destruct (moments_of X) as [n sum sq lo hi].
    rewrite /plausible /= in HX.
    wp_lam. wp_lam. wp_pures. destruct lo as [lo|], hi as [hi|]; try done; wp_pures.
    - destruct HX as (? & ? & ?). wp_lam. wp_pures. do 3 check_step. by iApply "HΦ".
    - destruct HX as [-> ->]. do 2 check_step. by iApply "HΦ".
  Qed.

  Lemma plus_interval_spec m n :
    {{{ True }}} plus_interval (moments_val m) (moments_val n)
    {{{ RET (moments_val (moments_op m n)); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". rewrite /moments_val. wp_lam. wp_pures.
    do 2 (wp_lam; wp_pures). wp_apply (option_max_spec with "[//]"). iIntros "_".
    do 2 (wp_lam; wp_pures). wp_apply (option_min_spec with "[//]"). iIntros "_".
    wp_pures. do 6 (wp_lam; wp_pures). by iApply "HΦ".
  Qed.

  Lemma check_all_spec Ys :
    {{{ True }}} check_all (list_val (moments_summary <$> Ys))
    {{{ RET (moments_summary (munion Ys)); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". iInduction Ys as [|Y Ys] "IH" forall (Φ); wp_rec; wp_pures.
    - rewrite /fold_summary mfold_empty. by iApply "HΦ".
    - wp_apply (check_interval_spec with "[//]"). iIntros "_". wp_pures.
      wp_apply "IH". iIntros "_". wp_pures.
      wp_apply (plus_interval_spec with "[//]"). iIntros "_".
      rewrite /fold_summary /= mfold_disj_union. by iApply "HΦ".
  Qed.

  Lemma asserting_program_spec ts :
    {{{ True }}} asserting_program ts {{{ RET #(); True }}}.
  Proof using Type* HN.
    iIntros (Φ) "_ HΦ". rewrite /asserting_program.
    wp_apply (new_stat_spec with "[//]"). iIntros (γ s) "[#Hs HX]". wp_let.
    wp_apply (conservation HN with "[$Hs $HX]"). iIntros (Ys) "<-".
    wp_apply (check_all_spec with "[//]"). iIntros "_". wp_let.
    rewrite /fold_summary /moments_val. destruct (moments_of (munion Ys)) as [n sum sq lo hi].
    cbn. destruct lo as [lo|], hi as [hi|]; cbn; do 5 check_step; by iApply "HΦ".
  Qed.
End client.

(** ** The theorems *)

(** Whatever the interleaving: the program is never stuck, and if it ends it
    returns summaries of multisets that add up to the samples. *)
Theorem intervals_adequate ts σ :
  adequate NotStuck (intervals_program ts) σ
    (λ v _, ∃ Ys, v = list_val (moments_summary <$> Ys) ∧ munion Ys = all_samples ts).
Proof.
  apply (heap_adequacy closedΣ). iIntros (?) "_".
  pose (striped_correct moments_code int_val moments_summary statN) as Hstat.
  wp_apply (intervals_program_spec (Hstat := Hstat) with "[//]"); first solve_ndisj.
  iIntros (Ys) "%HYs". eauto.
Qed.

(** Whatever the interleaving, no assert fails: a failing assert is stuck. *)
Theorem asserts_never_fail ts σ :
  adequate NotStuck (asserting_program ts) σ (λ v _, v = #()).
Proof.
  apply (heap_adequacy closedΣ). iIntros (?) "_".
  pose (striped_correct moments_code int_val moments_summary statN) as Hstat.
  by wp_apply (asserting_program_spec (Hstat := Hstat) with "[//]"); first solve_ndisj.
Qed.
