(** Accumulators that are commutative monoids.

    The protocol's proof speaks of multisets of samples.  Here is the corollary
    for what an implementation has: an accumulator holds one element of a
    commutative monoid, [record] multiplies by the image of the sample and
    [merge] by another element.  Such an accumulator summarizes the multiset of
    all it was given by the product of the images. *)
From stdpp Require Import gmultiset.
From striped Require Import code spec.
From iris.heap_lang Require Import lang proofmode notation.
From iris.prelude Require Import options.

Class comm_monoid (M : Type) := CommMonoid {
  mop : M → M → M;
  munit : M;
  mop_assoc :> Assoc (=) mop;
  mop_comm :> Comm (=) mop;
  mop_left_id :> LeftId (=) munit mop;
}.

Section fold.
  Context {V : Type} `{Countable V} {M : Type} `{!comm_monoid M} (single : V → M).

  Definition mfold_list (l : list V) : M := foldr (λ v, mop (single v)) munit l.
  Definition mfold (X : gmultiset V) : M := mfold_list (elements X).

  Lemma mop_right_id m : mop m munit = m.
  Proof. by rewrite comm_L left_id_L. Qed.

  Lemma mfold_list_app l1 l2 : mfold_list (l1 ++ l2) = mop (mfold_list l1) (mfold_list l2).
  Proof.
    induction l1 as [|v l1 IH]; simpl; first by rewrite left_id_L.
    by rewrite IH assoc_L.
  Qed.

  Lemma mfold_list_perm l1 l2 : l1 ≡ₚ l2 → mfold_list l1 = mfold_list l2.
  Proof.
    apply foldr_permutation_proper; [apply _|solve_proper|].
    intros v1 v2 m. by rewrite !assoc_L (comm_L mop (single v1)).
  Qed.

  Lemma mfold_empty : mfold ∅ = munit.
  Proof. by rewrite /mfold gmultiset_elements_empty. Qed.

  Lemma mfold_singleton v : mfold {[+ v +]} = single v.
  Proof. rewrite /mfold gmultiset_elements_singleton /=. apply mop_right_id. Qed.

  Lemma mfold_disj_union X Y : mfold (X ⊎ Y) = mop (mfold X) (mfold Y).
  Proof.
    rewrite /mfold -mfold_list_app. apply mfold_list_perm, gmultiset_elements_disj_union.
  Qed.

  (** The fold of a multiset given as a list is the fold of the list. *)
  Lemma mfold_list_to_set_disj l : mfold (list_to_set_disj l) = mfold_list l.
  Proof.
    induction l as [|v l IH]; simpl; first apply mfold_empty.
    by rewrite mfold_disj_union mfold_singleton IH.
  Qed.
End fold.

Class monoid_accumulator `{!heapGS Σ} (A : acc_code) {V} `{Countable V} {M}
    `{!comm_monoid M} (enc : V → val) (single : V → M) (read : M → val) :=
  MonoidAccumulator {
  mon_rep : loc → M → iProp Σ;
  mon_rep_timeless l m :> Timeless (mon_rep l m);
  mon_new_spec :
    {{{ True }}} A.(acc_new) #() {{{ l, RET #l; mon_rep l munit }}};
  mon_record_spec l m v :
    {{{ mon_rep l m }}} A.(acc_record) #l (enc v)
    {{{ RET #(); mon_rep l (mop m (single v)) }}};
  mon_merge_spec t l m n :
    {{{ mon_rep t m ∗ mon_rep l n }}} A.(acc_merge) #t #l
    {{{ RET #(); mon_rep t (mop m n) ∗ mon_rep l n }}};
  mon_clear_spec l m :
    {{{ mon_rep l m }}} A.(acc_clear) #l {{{ RET #(); mon_rep l munit }}};
  mon_read_spec l m :
    {{{ mon_rep l m }}} A.(acc_read) #l {{{ RET (read m); mon_rep l m }}};
}.
Global Arguments mon_rep {_ _ A V _ _ M _ enc single read _} l m.

Section monoid.
  Context `{!heapGS Σ} (A : acc_code) {V : Type} `{Countable V} {M : Type}
    `{!comm_monoid M} (enc : V → val) (single : V → M) (read : M → val)
    `{!monoid_accumulator A enc single read}.

  Definition fold_summary (X : gmultiset V) : val := read (mfold single X).

  Global Program Instance monoid_is_accumulator : accumulator A enc fold_summary :=
    {| acc_rep l X := mon_rep l (mfold single X) |}.
  Next Obligation. iIntros (Φ) "_ HΦ". rewrite mfold_empty. by iApply mon_new_spec. Qed.
  Next Obligation.
    iIntros (l X v Φ) "Hl HΦ". rewrite mfold_disj_union mfold_singleton.
    by iApply (mon_record_spec with "Hl").
  Qed.
  Next Obligation.
    iIntros (t l X Y Φ) "H HΦ". rewrite mfold_disj_union.
    by iApply (mon_merge_spec with "H").
  Qed.
  Next Obligation.
    iIntros (l X Φ) "Hl HΦ". rewrite mfold_empty. by iApply (mon_clear_spec with "Hl").
  Qed.
  Next Obligation.
    iIntros (l X Φ) "Hl HΦ". by iApply (mon_read_spec with "Hl").
  Qed.
End monoid.
