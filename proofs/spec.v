(** The specification: no code and no proof here, only what is claimed.

    [X], [Y] are multisets of samples.  A statistic's abstract state is the
    multiset of the samples not yet drained. *)
From stdpp Require Import gmultiset.
From iris.program_logic Require Export atomic.
From iris.heap_lang Require Import proofmode notation.
From striped Require Export code.
From iris.prelude Require Import options.

(** ** The accumulator

    What the protocol asks of an accumulator: it can represent any multiset of
    samples.  [enc] says how a sample is passed, [summary] what is read off.
    These are ordinary, not atomic, specifications: whoever calls an operation
    must own the accumulator outright while it runs. *)
Class accumulator `{!heapGS Σ} (A : acc_code) {V} `{Countable V}
    (enc : V → val) (summary : gmultiset V → val) := Accumulator {
  acc_rep : loc → gmultiset V → iProp Σ;
  acc_rep_timeless l X :> Timeless (acc_rep l X);
  acc_new_spec :
    {{{ True }}} A.(acc_new) #() {{{ l, RET #l; acc_rep l ∅ }}};
  acc_record_spec l X v :
    {{{ acc_rep l X }}} A.(acc_record) #l (enc v)
    {{{ RET #(); acc_rep l (X ⊎ {[+ v +]}) }}};
  acc_merge_spec t l X Y :
    {{{ acc_rep t X ∗ acc_rep l Y }}} A.(acc_merge) #t #l
    {{{ RET #(); acc_rep t (X ⊎ Y) ∗ acc_rep l Y }}};
  acc_clear_spec l X :
    {{{ acc_rep l X }}} A.(acc_clear) #l {{{ RET #(); acc_rep l ∅ }}};
  acc_read_spec l X :
    {{{ acc_rep l X }}} A.(acc_read) #l {{{ RET (summary X); acc_rep l X }}};
}.
Global Arguments acc_rep {_ _ A V _ _ enc summary _} l X.

(** ** The statistic

    - [is_stat γ s]: the value [s] is a statistic.  Persistent: shared freely.
    - [stat_content γ X]: the samples not yet drained are exactly [X].
    - [stripe_own γ i]: the right to add through the stripe [i].  Exclusive; it
      can be handed to another thread, or back to the statistic.

    [add], [add_batch] and [drain] are logically atomic: each updates [stat_content] at one
    instant between its call and its return.  The mask [↑N] says that the caller
    may not hold the statistic's own invariant open at that instant.  The triples
    of the adds are spelt out because what they give back privately, the stripe, comes
    at their return and not at that instant, for which Iris 4.0 has no notation. *)
Class striped_stat `{!heapGS Σ} (A : acc_code) {V} `{Countable V}
    (enc : V → val) (summary : gmultiset V → val) (N : namespace) := StripedStat {
  stat_name : Type;
  is_stat : stat_name → val → iProp Σ;
  stat_content : stat_name → gmultiset V → iProp Σ;
  stripe_own : stat_name → val → iProp Σ;

  is_stat_persistent γ s :> Persistent (is_stat γ s);
  stat_content_timeless γ X :> Timeless (stat_content γ X);
  stat_content_exclusive γ X Y : stat_content γ X -∗ stat_content γ Y -∗ False;
  stripe_own_exclusive γ i : stripe_own γ i -∗ stripe_own γ i -∗ False;

  new_stat_spec :
    {{{ True }}} new_stat #()
    {{{ γ s, RET s; is_stat γ s ∗ stat_content γ ∅ }}};

  lease_spec γ s :
    {{{ is_stat γ s }}} lease A s {{{ i, RET i; stripe_own γ i }}};

  hand_over_spec γ s i :
    {{{ is_stat γ s ∗ stripe_own γ i }}} hand_over s i {{{ RET #(); True }}};

  add_spec γ s i v :
    is_stat γ s -∗ stripe_own γ i -∗ ∀ Φ,
    AU << ∃∃ X, stat_content γ X >> @ ⊤ ∖ ↑N, ∅
       << stat_content γ (X ⊎ {[+ v +]}), COMM stripe_own γ i -∗ Φ #() >> -∗
    WP add A s i (enc v) {{ Φ }};

  add_batch_spec γ s i vs :
    is_stat γ s -∗ stripe_own γ i -∗ ∀ Φ,
    AU << ∃∃ X, stat_content γ X >> @ ⊤ ∖ ↑N, ∅
       << stat_content γ (X ⊎ list_to_set_disj vs), COMM stripe_own γ i -∗ Φ #() >> -∗
    WP add_batch A s i (list_val (enc <$> vs)) {{ Φ }};

  drain_spec γ s :
    is_stat γ s -∗
    <<< ∀∀ X, stat_content γ X >>>
      drain A s @ ↑N
    <<< stat_content γ ∅, RET summary X >>>;
}.
