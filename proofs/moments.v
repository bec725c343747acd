(** The moments: count, sum, sum of squares, minimum and maximum.

    Five words of plain memory, updated one after the other: the accumulator of
    [ConcurrentMutableStat], with unbounded integers. *)
From stdpp Require Import gmultiset.
From striped Require Import code spec monoid.
From iris.heap_lang Require Import lang proofmode notation.
From iris.prelude Require Import options.

(** ** In mathematics *)

Record moments := Moments {
  m_count : Z;
  m_sum : Z;
  m_squares : Z;
  m_min : option Z;
  m_max : option Z;
}.

Definition moments_op (m n : moments) : moments := {|
  m_count := m.(m_count) + n.(m_count);
  m_sum := m.(m_sum) + n.(m_sum);
  m_squares := m.(m_squares) + n.(m_squares);
  m_min := union_with (λ x y, Some (x `min` y)) m.(m_min) n.(m_min);
  m_max := union_with (λ x y, Some (x `max` y)) m.(m_max) n.(m_max);
|}%Z.

Definition moments_single (z : Z) : moments := Moments 1 z (z * z) (Some z) (Some z).

Global Program Instance moments_monoid : comm_monoid moments :=
  {| mop := moments_op; munit := Moments 0 0 0 None None |}.
Next Obligation.
  intros [?? ? [] []] [?? ? [] []] [?? ? [] []]; rewrite /moments_op /=; f_equal; try lia;
    f_equal; lia.
Qed.
Next Obligation.
  intros [?? ? [] []] [?? ? [] []]; rewrite /moments_op /=; f_equal; try lia; f_equal; lia.
Qed.
Next Obligation. by intros [?? ? [] []]. Qed.

Notation moments_of := (mfold moments_single).

(** What the moments of a multiset are, without reference to the monoid. *)

Lemma moments_of_insert z X :
  moments_of ({[+ z +]} ⊎ X) = moments_op (moments_single z) (moments_of X).
Proof. by rewrite mfold_disj_union mfold_singleton. Qed.

Lemma moments_count X : m_count (moments_of X) = size X.
Proof.
  induction X as [|z X IH] using gmultiset_ind; first by rewrite mfold_empty.
  rewrite moments_of_insert /= IH gmultiset_size_disj_union gmultiset_size_singleton. lia.
Qed.

Definition sum_list (l : list Z) : Z := foldr Z.add 0%Z l.

Lemma moments_sum X : m_sum (moments_of X) = sum_list (elements X).
Proof. rewrite /mfold. induction (elements X) as [|z l IH]; simpl; [done|by rewrite IH]. Qed.

Lemma moments_squares X :
  m_squares (moments_of X) = sum_list ((λ z, z * z)%Z <$> elements X).
Proof. rewrite /mfold. induction (elements X) as [|z l IH]; simpl; [done|by rewrite IH]. Qed.

(** [x] is the least element of [X] with respect to [R]. *)
Definition least (R : relation Z) (X : gmultiset Z) (x : Z) : Prop :=
  x ∈ X ∧ ∀ y, y ∈ X → R x y.

Lemma moments_extremes X :
  match m_min (moments_of X), m_max (moments_of X) with
  | Some lo, Some hi => least (≤)%Z X lo ∧ least (λ x y, y ≤ x)%Z X hi
  | None, None => X = ∅
  | _, _ => False
  end.
Proof.
  rewrite /least. induction X as [|z X IH] using gmultiset_ind; first by rewrite mfold_empty.
  rewrite moments_of_insert /=.
  destruct (m_min (moments_of X)) as [lo|], (m_max (moments_of X)) as [hi|];
    try done; simpl.
  - destruct IH as [[Hlo Hlo'] [Hhi Hhi']]. split; split.
    + destruct (Z.min_spec z lo) as [[_ ->]|[_ ->]]; multiset_solver.
    + intros y [->%gmultiset_elem_of_singleton|Hy]%gmultiset_elem_of_disj_union; first lia.
      specialize (Hlo' y Hy). lia.
    + destruct (Z.max_spec z hi) as [[_ ->]|[_ ->]]; multiset_solver.
    + intros y [->%gmultiset_elem_of_singleton|Hy]%gmultiset_elem_of_disj_union; first lia.
      specialize (Hhi' y Hy). lia.
  - subst X. split; split.
    + multiset_solver.
    + intros y [->%gmultiset_elem_of_singleton|Hy]%gmultiset_elem_of_disj_union;
        [lia|multiset_solver].
    + multiset_solver.
    + intros y [->%gmultiset_elem_of_singleton|Hy]%gmultiset_elem_of_disj_union;
        [lia|multiset_solver].
Qed.

(** Exact extremes (G2): of an interval, and, as [X] is any multiset, of a
    lifetime. *)
Theorem moments_min X z : m_min (moments_of X) = Some z ↔ least (≤)%Z X z.
Proof.
  pose proof (moments_extremes X) as Hext.
  destruct (m_min _) as [lo|], (m_max _) as [hi|]; try done.
  - destruct Hext as [[Hlo Hlo'] _]. split; first by intros [= ->].
    intros [Hz Hz']. f_equal. specialize (Hlo' z Hz). specialize (Hz' lo Hlo). lia.
  - subst X. split; first done. intros [Hz _]. multiset_solver.
Qed.

Theorem moments_max X z : m_max (moments_of X) = Some z ↔ least (λ x y, y ≤ x)%Z X z.
Proof.
  pose proof (moments_extremes X) as Hext.
  destruct (m_min _) as [lo|], (m_max _) as [hi|]; try done.
  - destruct Hext as [_ [Hhi Hhi']]. split; first by intros [= ->].
    intros [Hz Hz']. f_equal. specialize (Hhi' z Hz). specialize (Hz' hi Hhi). lia.
  - subst X. split; first done. intros [Hz _]. multiset_solver.
Qed.

(** Moments of samples can be told from most others (G3): the mean lies between
    the extremes, and there are extremes if and only if there are samples. *)
Definition plausible (m : moments) : Prop :=
  match m.(m_min), m.(m_max) with
  | Some lo, Some hi =>
      0 < m.(m_count) ∧ m.(m_count) * lo ≤ m.(m_sum) ∧ m.(m_sum) ≤ m.(m_count) * hi
  | None, None => m.(m_count) = 0 ∧ m.(m_sum) = 0
  | _, _ => False
  end%Z.

Theorem moments_plausible X : plausible (moments_of X).
Proof.
  rewrite /plausible. induction X as [|z X IH] using gmultiset_ind; first by rewrite mfold_empty.
  rewrite moments_of_insert /=.
  destruct (m_min _) as [lo|], (m_max _) as [hi|]; simpl; try done; nia.
Qed.

(** ** In HeapLang *)

Definition option_min : val := λ: "a" "b",
  match: "a" with
    NONE => "b"
  | SOME "x" => match: "b" with
                  NONE => "a"
                | SOME "y" => if: "x" < "y" then "a" else "b"
                end
  end.

Definition option_max : val := λ: "a" "b",
  match: "a" with
    NONE => "b"
  | SOME "x" => match: "b" with
                  NONE => "a"
                | SOME "y" => if: "x" < "y" then "b" else "a"
                end
  end.

(** Adds the five words given to those at [l]. *)
Definition moments_add : val := λ: "l" "count" "sum" "squares" "min" "max",
  "l" +ₗ #0 <- !("l" +ₗ #0) + "count";;
  "l" +ₗ #1 <- !("l" +ₗ #1) + "sum";;
  "l" +ₗ #2 <- !("l" +ₗ #2) + "squares";;
  "l" +ₗ #3 <- option_min !("l" +ₗ #3) "min";;
  "l" +ₗ #4 <- option_max !("l" +ₗ #4) "max".

Definition moments_clear : val := λ: "l",
  "l" +ₗ #0 <- #0;;
  "l" +ₗ #1 <- #0;;
  "l" +ₗ #2 <- #0;;
  "l" +ₗ #3 <- NONE;;
  "l" +ₗ #4 <- NONE.

Definition moments_code : acc_code := {|
  acc_new := λ: <>, let: "l" := AllocN #5 #0 in moments_clear "l";; "l";
  acc_record := λ: "l" "v", moments_add "l" #1 "v" ("v" * "v") (SOME "v") (SOME "v");
  acc_merge := λ: "t" "l",
    moments_add "t" !("l" +ₗ #0) !("l" +ₗ #1) !("l" +ₗ #2) !("l" +ₗ #3) !("l" +ₗ #4);
  acc_clear := moments_clear;
  acc_read := λ: "l",
    (!("l" +ₗ #0), (!("l" +ₗ #1), (!("l" +ₗ #2), (!("l" +ₗ #3), !("l" +ₗ #4)))));
|}.

Definition int_val (z : Z) : val := #z.
Definition option_val (o : option Z) : val :=
  match o with None => NONEV | Some z => SOMEV #z end.
Definition moments_val (m : moments) : val :=
  (#m.(m_count), (#m.(m_sum), (#m.(m_squares), (option_val m.(m_min), option_val m.(m_max))))).

Section proof.
  Context `{!heapGS Σ}.

  Definition moments_rep (l : loc) (m : moments) : iProp Σ :=
    (l +ₗ 0) ↦ #m.(m_count) ∗ (l +ₗ 1) ↦ #m.(m_sum) ∗ (l +ₗ 2) ↦ #m.(m_squares) ∗
    (l +ₗ 3) ↦ option_val m.(m_min) ∗ (l +ₗ 4) ↦ option_val m.(m_max).

  Lemma option_min_spec a b :
    {{{ True }}} option_min (option_val a) (option_val b)
    {{{ RET option_val (union_with (λ x y, Some (x `min` y)%Z) a b); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_lam. destruct a as [x|], b as [y|]; simpl; wp_pures.
    - case_bool_decide; wp_pures; [rewrite Z.min_l|rewrite Z.min_r]; try lia; by iApply "HΦ".
    - by iApply "HΦ".
    - by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  Lemma option_max_spec a b :
    {{{ True }}} option_max (option_val a) (option_val b)
    {{{ RET option_val (union_with (λ x y, Some (x `max` y)%Z) a b); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_lam. destruct a as [x|], b as [y|]; simpl; wp_pures.
    - case_bool_decide; wp_pures; [rewrite Z.max_r|rewrite Z.max_l]; try lia; by iApply "HΦ".
    - by iApply "HΦ".
    - by iApply "HΦ".
    - by iApply "HΦ".
  Qed.

  Lemma moments_add_spec l m n :
    {{{ moments_rep l m }}}
      moments_add #l #n.(m_count) #n.(m_sum) #n.(m_squares)
                  (option_val n.(m_min)) (option_val n.(m_max))
    {{{ RET #(); moments_rep l (moments_op m n) }}}.
  Proof.
    iIntros (Φ) "(H0 & H1 & H2 & H3 & H4) HΦ". wp_lam. wp_pures.
    wp_load. wp_store. wp_load. wp_store. wp_load. wp_store.
    wp_load. wp_apply (option_min_spec with "[//]"). iIntros "_". wp_store.
    wp_load. wp_apply (option_max_spec with "[//]"). iIntros "_". wp_store.
    iApply "HΦ". by iFrame.
  Qed.

  Lemma moments_clear_spec l v0 v1 v2 v3 v4 :
    {{{ (l +ₗ 0) ↦ v0 ∗ (l +ₗ 1) ↦ v1 ∗ (l +ₗ 2) ↦ v2 ∗ (l +ₗ 3) ↦ v3 ∗ (l +ₗ 4) ↦ v4 }}}
      moments_clear #l
    {{{ RET #(); moments_rep l munit }}}.
  Proof.
    iIntros (Φ) "(H0 & H1 & H2 & H3 & H4) HΦ". wp_lam. do 5 (wp_pures; wp_store).
    iApply "HΦ". by iFrame.
  Qed.

  Global Program Instance moments_accumulator :
      monoid_accumulator moments_code int_val moments_single moments_val :=
    {| mon_rep := moments_rep |}.
  Next Obligation.
    iIntros (Φ) "_ HΦ". wp_lam. wp_alloc l as "Hl"; first done. wp_let.
    rewrite /array /=. iDestruct "Hl" as "(H0 & H1 & H2 & H3 & H4 & _)".
    wp_apply (moments_clear_spec with "[$H0 $H1 $H2 $H3 $H4]"). iIntros "Hl".
    wp_pures. by iApply "HΦ".
  Qed.
  Next Obligation.
    iIntros (l m v Φ) "Hl HΦ". wp_lam. wp_pures.
    by wp_apply (moments_add_spec _ _ (moments_single v) with "Hl").
  Qed.
  Next Obligation.
    iIntros (t l m n Φ) "[Ht (H0 & H1 & H2 & H3 & H4)] HΦ". wp_lam. wp_pures.
    do 5 (wp_load; wp_pures).
    wp_apply (moments_add_spec with "Ht"). iIntros "Ht". iApply "HΦ". by iFrame.
  Qed.
  Next Obligation.
    iIntros (l m Φ) "(H0 & H1 & H2 & H3 & H4) HΦ".
    by wp_apply (moments_clear_spec with "[$H0 $H1 $H2 $H3 $H4]").
  Qed.
  Next Obligation.
    iIntros (l m Φ) "(H0 & H1 & H2 & H3 & H4) HΦ". wp_lam.
    do 5 (wp_load; wp_pures). iApply "HΦ". by iFrame.
  Qed.
End proof.

(** The summary that a drain of moments returns. *)
Notation moments_summary := (fold_summary moments_single moments_val).
