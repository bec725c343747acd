(** The merged algorithm, refuted: an interval that summarizes no samples (G3).

    [ConcurrentMutableStat] as merged into Apache Hadoop keeps count, sum, min
    and max in four accumulators, each updated and drained on its own.  This is
    its HeapLang model, with each accumulator taken as one atomic word (so, of
    all that goes wrong with it, only what is due to there being four of them),
    and one execution of it.  The execution is computed by the interpreter of
    [interp.v] and so is an execution in HeapLang's own semantics. *)
From stdpp Require Import gmultiset.
From iris.base_logic.lib Require Import invariants.
From iris.proofmode Require Import proofmode.
From iris.program_logic Require Import language.
From striped Require Import interp code spec proof monoid moments.
From iris.heap_lang Require Import adequacy.
From iris.heap_lang Require Import lang proofmode notation.
From iris.prelude Require Import options.

(** ** The code

    The statistic is [(sum, (count, (min, max)))]; an interval has the same
    shape, by value, with the count first. *)

Definition merged_new : val := λ: <>,
  (ref #0, (ref #0, (ref NONE, ref NONE))).

(** An accumulator of one function: a compare-and-swap loop. *)
Definition accumulate : val := rec: "accumulate" "l" "f" "v" :=
  let: "old" := !"l" in
  if: CAS "l" "old" ("f" "old" (SOME "v")) then #() else "accumulate" "l" "f" "v".

Definition merged_add : val := λ: "s" "v",
  FAA (Fst "s") "v";;
  FAA (Fst (Snd "s")) #1;;
  accumulate (Fst (Snd (Snd "s"))) option_min "v";;
  accumulate (Snd (Snd (Snd "s"))) option_max "v".

Definition empty_interval : val := (#0, (#0, (NONEV, NONEV)))%V.

Definition add_sample : val := λ: "m" "x",
  (Fst "m" + #1, (Fst (Snd "m") + "x",
    (option_min (Fst (Snd (Snd "m"))) (SOME "x"),
     option_max (Snd (Snd (Snd "m"))) (SOME "x")))).

(** [n] samples of which only the sum is known. *)
Definition add_bulk : val := λ: "m" "n" "x",
  (Fst "m" + "n", (Fst (Snd "m") + "x", Snd (Snd "m"))).

(** Each accumulator is taken and reset in one step, one after the other. *)
Definition merged_drain : val := λ: "s",
  let: "n" := Xchg (Fst (Snd "s")) #0 in
  if: "n" = #0 then empty_interval else
  let: "sum" := Xchg (Fst "s") #0 in
  let: "min" := Xchg (Fst (Snd (Snd "s"))) NONE in
  let: "max" := Xchg (Snd (Snd (Snd "s"))) NONE in
  match: "min" with
    NONE => add_bulk empty_interval "n" "sum"
  | SOME "lo" =>
      match: "max" with
        NONE => add_bulk empty_interval "n" "sum"
      | SOME "hi" =>
          let: "m" := add_sample empty_interval "lo" in
          if: "n" = #1 then "m" else
          let: "m" := add_sample "m" "hi" in
          if: "n" = #2 then "m" else
          add_bulk "m" ("n" - #2) ("sum" - "lo" - "hi")
      end
  end.

(** ** The program: three samples of 10, one of 1000 in flight, one drain *)

Definition merged_program : expr :=
  let: "s" := merged_new #() in
  merged_add "s" #10;; merged_add "s" #10;; merged_add "s" #10;;
  Fork (merged_add "s" #1000);;
  merged_drain "s".

Definition start : state := {| heap := ∅; used_proph_id := ∅ |}.

(** The main thread adds its three samples and forks; the other thread adds
    1000 to the sum and is interrupted; the main thread drains. *)
Definition schedule : list (nat * nat) := [(0, 207); (1, 5); (0, 1000)].

(** Three samples, all of them 10, that sum to 1030. *)
Definition bad_interval : val := (#3, (#1030, (SOMEV #10, SOMEV #10)))%V.

Lemma merged_execution :
  head (run_schedule schedule ([merged_program], start)).1 = Some (Val bad_interval).
Proof. by vm_compute. Qed.

(** ** The theorems *)

(** What an interval of these four numbers should be. *)
Definition four_summary (X : gmultiset Z) : val :=
  let m := moments_of X in
  (#m.(m_count), (#m.(m_sum), (option_val m.(m_min), option_val m.(m_max))))%V.

Lemma bad_interval_not_whole X : bad_interval ≠ four_summary X.
Proof.
  intros Heq. pose proof (moments_plausible X) as HX. rewrite /plausible in HX.
  rewrite /bad_interval /four_summary in Heq.
  destruct (moments_of X) as [n sum sq [lo|] [hi|]]; simpl in *; try done.
  injection Heq as <- <- <- <-. lia.
Qed.

(** The merged algorithm violates G3: an execution of the program in which the
    drain returns an interval that summarizes no multiset of samples whatever. *)
Theorem merged_not_whole :
  ∃ (interval : val) (es : list expr) (σ : state),
    rtc erased_step ([merged_program], start) (Val interval :: es, σ) ∧
    ∀ X, interval ≠ four_summary X.
Proof.
  pose proof (run_schedule_sound schedule ([merged_program], start)) as Hrun.
  pose proof merged_execution as Hhead.
  destruct (run_schedule schedule ([merged_program], start)) as [[|e es] σ];
    simpl in Hhead; first done.
  injection Hhead as ->. exists bad_interval, es, σ.
  split; [done|apply bad_interval_not_whole].
Qed.

(** The same program with the striped statistic: in every execution the drain
    returns the summary of a multiset of samples. *)
Definition striped_program : expr :=
  let: "s" := new_stat #() in
  let: "i" := lease moments_code "s" in
  add moments_code "s" "i" #10;;
  add moments_code "s" "i" #10;;
  add moments_code "s" "i" #10;;
  Fork (let: "j" := lease moments_code "s" in add moments_code "s" "j" #1000);;
  drain moments_code "s".

Section striped.
  Context `{!heapGS Σ} {N : namespace}.
  Context `{Hstat : !striped_stat moments_code int_val moments_summary N}.

  Definition anyN : namespace := nroot .@ "any".
  Context (HN : N ## anyN).
  Definition any_content γ : iProp Σ := inv anyN (∃ X, stat_content γ X).

  Lemma wp_add_any γ s i (z : Z) Φ :
    is_stat γ s -∗ any_content γ -∗ stripe_own γ i -∗
    (stripe_own γ i -∗ Φ #()) -∗ WP add moments_code s i #z {{ Φ }}.
  Proof using Type* HN.
    iIntros "#Hs #Hany Hi HΦ". iApply (add_spec _ _ _ z with "Hs Hi").
    iAuIntro. iInv anyN as (X) ">HX". iAaccIntro with "HX".
    { iIntros "HX !>". iSplitL "HX"; [by iExists X|done]. }
    iIntros "HX !>". iSplitL "HX"; first by iExists _. done.
  Qed.

  Lemma striped_program_spec :
    {{{ True }}} striped_program {{{ X, RET (moments_summary X); True }}}.
  Proof using Type* HN.
    iIntros (Φ) "_ HΦ". rewrite /striped_program.
    wp_apply (new_stat_spec with "[//]"). iIntros (γ s) "[#Hs HX]". wp_let.
    iMod (inv_alloc anyN _ (∃ X, stat_content γ X) with "[HX]") as "#Hany"; first by iExists _.
    wp_apply (lease_spec with "Hs"). iIntros (i) "Hi". wp_let.
    do 3 (wp_apply (wp_add_any with "Hs Hany Hi"); iIntros "Hi"; wp_pures).
    wp_smart_apply wp_fork.
    { wp_apply (lease_spec with "Hs"). iIntros (j) "Hj". wp_let.
      wp_apply (wp_add_any with "Hs Hany Hj"). by iIntros "_". }
    wp_pures. awp_apply (drain_spec with "Hs").
    iInv anyN as (X) ">HX". iAaccIntro with "HX".
    { iIntros "HX !>". iSplitL "HX"; [by iExists X|by iFrame]. }
    iIntros "HX !>". iSplitL "HX"; first by iExists _. by iApply "HΦ".
  Qed.
End striped.

(** Where the merged algorithm fails: not in this program, whatever the
    interleaving. *)
Theorem striped_whole σ :
  adequate NotStuck striped_program σ (λ v _, ∃ X, v = moments_summary X).
Proof.
  apply (heap_adequacy #[heapΣ; stripedΣ Z]). iIntros (?) "_".
  pose (striped_correct moments_code int_val moments_summary (nroot .@ "stat")) as Hstat.
  wp_apply (striped_program_spec (Hstat := Hstat) with "[//]"); first solve_ndisj.
  iIntros (X) "_". eauto.
Qed.
