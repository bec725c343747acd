(** The code of [code.v] meets the specification of [spec.v].

    One invariant holds all shared state.  A stripe's writer is quiet (sequence
    number even), entered (odd, epoch not read yet), or committed to the buffer
    of the epoch it read and to the content that this buffer will have when it
    is done.  While committed, the writer and not the invariant owns the buffer;
    the invariant keeps the promised content.  The abstract state is the sum,
    over the stripes, of the content of the current buffer, promises included.

    So [add] takes effect when it reads the epoch and [drain] when it writes it:
    at that instant the current buffers become the old ones, and all of the
    other parity are empty.  What the drain still has to fetch is recorded in
    [pending]. *)
From stdpp Require Import gmultiset.
From iris.algebra Require Import gmultiset big_op.
From iris.base_logic.lib Require Import invariants ghost_var ghost_map.
From iris.proofmode Require Import proofmode.
From iris.program_logic Require Import atomic.
From striped Require Import code spec.
From iris.heap_lang Require Import lang proofmode notation.
From iris.heap_lang.lib Require Import spin_lock assert.
From iris.prelude Require Import options.

(** ** Parities *)

Definition parity (e : nat) : bool := Nat.odd e.

Lemma parity_S e : parity (S e) = negb (parity e).
Proof. by rewrite /parity Nat.odd_succ -Nat.negb_odd. Qed.

Lemma rem_2_parity (e : nat) : bool_decide (#(Z.rem e 2) = #0) = negb (parity e).
Proof.
  rewrite /parity Nat.negb_odd Z.rem_mod_nonneg; [|lia..].
  destruct (Nat.even e) eqn:He.
  - apply Nat.even_spec in He as [k ->]. apply bool_decide_eq_true.
    do 2 f_equal. rewrite Nat2Z.inj_mul Z.mul_comm Z_mod_mult //.
  - apply bool_decide_eq_false. intros [= Hmod].
    apply Z.mod_divide in Hmod as [k Hk]; last lia.
    assert (Nat.even e = true); last congruence.
    apply Nat.even_spec. exists (Z.to_nat k). lia.
Qed.

(** ** What the invariant keeps of a stripe *)

Section state.
  Context {V : Type} `{Countable V}.

  (** What never changes: the two buffers and the writer's ghost variable. *)
  Record stripe_names := StripeNames {
    sn_buffer0 : loc;
    sn_buffer1 : loc;
    sn_writer : gname;
  }.

  Definition sn_buffer (nm : stripe_names) (p : bool) : loc :=
    if p then nm.(sn_buffer1) else nm.(sn_buffer0).

  Inductive writer :=
    | Quiet
    | Entered
    (** Owns the buffer of parity [p] and will leave [X] in it. *)
    | Committed (p : bool) (X : gmultiset V).

  Definition writer_odd (w : writer) : bool :=
    match w with Quiet => false | _ => true end.

  (** The content promised for the buffer of parity [p], if the writer has it. *)
  Definition promised (w : writer) (p : bool) : option (gmultiset V) :=
    match w with
    | Committed p' X => if decide (p' = p) then Some X else None
    | _ => None
    end.

  Record stripe_state := StripeState {
    ss_names : stripe_names;
    ss_seq : nat;
    ss_writer : writer;
    ss_current : gmultiset V;   (* content of the current buffer, promises included *)
  }.

  (** What a running drain has still to fetch of a stripe's old buffer. *)
  Inductive pending :=
    | Pending (Y : gmultiset V)
    (** The drain read the odd sequence number [f] and waits for another one. *)
    | Waiting (f : nat) (Y : gmultiset V)
    (** The drain has the buffer in hand. *)
    | Taken.

  Definition pending_content (p : pending) : gmultiset V :=
    match p with Pending Y => Y | Waiting _ Y => Y | Taken => ∅ end.

  (** The two sums over the stripes; the lemmas are the same, so proved once. *)
  Definition msum {B} (f : B → gmultiset V) (T : gmap loc B) : gmultiset V :=
    [^op map] b ∈ T, (f b : gmultisetUR V).

  Lemma msum_empty {B} (f : B → gmultiset V) : msum f ∅ = ∅.
  Proof. exact (big_opM_empty (o:=op) (λ _ b, f b : gmultisetUR V)). Qed.

  Lemma msum_insert_new {B} (f : B → gmultiset V) T i b :
    T !! i = None → msum f (<[i:=b]> T) = f b ⊎ msum f T.
  Proof.
    intros Hi. apply leibniz_equiv. rewrite /msum.
    exact (big_opM_insert (o:=op) (λ _ b, f b : gmultisetUR V) T i b Hi).
  Qed.

  Lemma msum_insert {B} (f : B → gmultiset V) T i b :
    msum f (<[i:=b]> T) = f b ⊎ msum f (delete i T).
  Proof. rewrite -insert_delete_insert. apply msum_insert_new, lookup_delete. Qed.

  Lemma msum_delete {B} (f : B → gmultiset V) T i :
    msum f T = from_option f ∅ (T !! i) ⊎ msum f (delete i T).
  Proof.
    destruct (T !! i) as [b|] eqn:Hi; simpl.
    - rewrite -(msum_insert f T i b) (insert_id T i b Hi). done.
    - rewrite (delete_notin T i Hi) left_id_L. done.
  Qed.

  Lemma msum_fmap {B C} (f : B → gmultiset V) (g : C → B) T :
    msum f (g <$> T) = msum (f ∘ g) T.
  Proof.
    apply leibniz_equiv. rewrite /msum.
    exact (big_opM_fmap (o:=op) g (λ _ b, f b : gmultisetUR V) T).
  Qed.

  Lemma msum_empty_fun {B} (T : gmap loc B) : msum (λ _, ∅) T = ∅.
  Proof.
    induction T as [|i b T Hi IH] using map_ind; first apply msum_empty.
    rewrite msum_insert_new // IH. by rewrite left_id_L.
  Qed.

  (** The samples not yet drained. *)
  Definition contents (T : gmap loc stripe_state) : gmultiset V := msum ss_current T.

  (** The samples that the running drain has still to fetch. *)
  Definition contents_pending (m : gmap loc pending) : gmultiset V :=
    msum pending_content m.

  Lemma contents_add T i d d' Z :
    T !! i = Some d → d'.(ss_current) = d.(ss_current) ⊎ Z →
    contents (<[i:=d']> T) = contents T ⊎ Z.
  Proof.
    intros Hi Hc. rewrite /contents msum_insert (msum_delete _ T i) Hi /= Hc.
    rewrite -!assoc_L. f_equal. apply comm_L, _.
  Qed.

  Lemma contents_update T i d d' :
    T !! i = Some d → d'.(ss_current) = d.(ss_current) →
    contents (<[i:=d']> T) = contents T.
  Proof.
    intros Hi Hc. rewrite (contents_add T i d d' ∅) //; rewrite right_id_L //.
  Qed.

  Lemma contents_new T i d :
    T !! i = None → d.(ss_current) = ∅ → contents (<[i:=d]> T) = contents T.
  Proof. intros Hi Hc. rewrite /contents msum_insert_new // Hc. by rewrite left_id_L. Qed.

  (** ** The flip, on the pure state *)

  Definition flip_state (d : stripe_state) : stripe_state :=
    StripeState d.(ss_names) d.(ss_seq) d.(ss_writer) ∅.
  Definition flip_pending (d : stripe_state) : pending := Pending d.(ss_current).

  Lemma contents_flip T : contents (flip_state <$> T) = ∅.
  Proof. rewrite /contents msum_fmap. apply msum_empty_fun. Qed.

  Lemma contents_pending_flip T : contents_pending (flip_pending <$> T) = contents T.
  Proof. rewrite /contents_pending msum_fmap //. Qed.
End state.
Global Arguments writer V {_ _}.
Global Arguments stripe_state V {_ _}.
Global Arguments pending V {_ _}.

(** ** Ghost state *)

Class stripedG Σ V `{Countable V} := StripedG {
  stripedG_lock :> lockG Σ;
  stripedG_content :> ghost_varG Σ (gmultiset V);
  stripedG_writer :> ghost_varG Σ (writer V);
  stripedG_pending :> ghost_varG Σ (gmap loc (pending V));
  stripedG_stripes :> ghost_mapG Σ loc stripe_names;
}.

Definition stripedΣ V `{Countable V} : gFunctors :=
  #[lockΣ; ghost_varΣ (gmultiset V); ghost_varΣ (writer V);
    ghost_varΣ (gmap loc (pending V)); ghost_mapΣ loc stripe_names].

Global Instance subG_stripedΣ Σ V `{Countable V} : subG (stripedΣ V) Σ → stripedG Σ V.
Proof. solve_inG. Qed.

Record striped_name := StripedName {
  name_content : gname;   (* the abstract state *)
  name_pending : gname;   (* what the running drain has still to fetch *)
  name_stripes : gname;   (* the registered stripes *)
}.

Section proof.
  Context `{!heapGS Σ} {V : Type} `{Countable V} `{!stripedG Σ V}.
  Context (A : acc_code) (enc : V → val) (summary : gmultiset V → val).
  Context `{!accumulator A enc summary}.
  Context (N : namespace).

  Implicit Types (γ : striped_name) (nm : stripe_names) (d : stripe_state V).
  Implicit Types (X Y : gmultiset V) (i : loc) (e q : nat).
  Implicit Types (T : gmap loc (stripe_state V)) (m : gmap loc (pending V)).

  (** ** Values *)

  Definition stripe_val i nm : val :=
    (#i, (#nm.(sn_buffer0), #nm.(sn_buffer1)))%V.

  Definition stripes_val (L : list (loc * stripe_names)) : val :=
    list_val ((λ s, stripe_val s.1 s.2) <$> L).

  (** ** The invariant *)

  (** The buffer of parity [p] has or will have the content [X]. *)
  Definition buffer_res nm (w : writer V) (p : bool) X : iProp Σ :=
    match promised w p with
    | Some X' => ⌜X' = X⌝
    | None => acc_rep (sn_buffer nm p) X
    end.

  Definition old_res nm q (w : writer V) (p : bool) (mi : option (pending V)) : iProp Σ :=
    match mi with
    | None => ⌜promised w p = None⌝ ∗ acc_rep (sn_buffer nm p) ∅
    | Some (Pending Y) => buffer_res nm w p Y
    | Some (Waiting f Y) => buffer_res nm w p Y ∗ ⌜is_Some (promised w p) → q = f⌝
    | Some Taken => ⌜promised w p = None⌝
    end.

  Definition stripe_res e (mi : option (pending V)) i d : iProp Σ :=
    i ↦{#1/2} #d.(ss_seq) ∗
    ghost_var d.(ss_names).(sn_writer) (1/4) d.(ss_writer) ∗
    ⌜parity d.(ss_seq) = writer_odd d.(ss_writer)⌝ ∗
    buffer_res d.(ss_names) d.(ss_writer) (parity e) d.(ss_current) ∗
    old_res d.(ss_names) d.(ss_seq) d.(ss_writer) (negb (parity e)) mi.

  Definition body γ (epoch stripes : loc) e m L T : iProp Σ :=
    epoch ↦{#1/2} #e ∗
    stripes ↦{#1/2} stripes_val L ∗
    ghost_var γ.(name_pending) (1/2) m ∗
    ghost_var γ.(name_content) (1/4) (contents T) ∗
    ghost_map_auth γ.(name_stripes) 1 (list_to_map L : gmap loc stripe_names) ∗
    ([∗ list] s ∈ L, s.1 ↪[γ.(name_stripes)]□ s.2) ∗
    ⌜NoDup L.*1 ∧ ss_names <$> T = list_to_map L ∧ dom m ⊆ dom T⌝ ∗
    [∗ map] i ↦ d ∈ T, stripe_res e (m !! i) i d.

  Definition stat_inv γ (epoch stripes : loc) : iProp Σ :=
    ∃ e m L T, body γ epoch stripes e m L T.

  (** What the stat's own lock protects: the right to write the epoch, and that
      no drain is at work. *)
  Definition drain_res γ (epoch : loc) : iProp Σ :=
    ∃ e, epoch ↦{#1/2} #e ∗ ghost_var γ.(name_pending) (1/2) (∅ : gmap loc (pending V)).

  Definition striped_own γ (v : val) : iProp Σ :=
    ∃ i nm q, ⌜v = stripe_val i nm⌝ ∗ ⌜parity q = false⌝ ∗
      i ↪[γ.(name_stripes)]□ nm ∗
      i ↦{#1/2} #q ∗ ghost_var nm.(sn_writer) (3/4) (Quiet : writer V).

  (** What the registry's lock protects: the right to extend the list, and the
      free stripes. *)
  Definition registry_res γ (stripes free : loc) : iProp Σ :=
    ∃ L F, stripes ↦{#1/2} stripes_val L ∗ free ↦ list_val F ∗
      [∗ list] v ∈ F, striped_own γ v.

  Definition is_striped γ (s : val) : iProp Σ :=
    ∃ (lk reg : val) (epoch stripes free : loc) γlk γreg,
      ⌜s = ((lk, #epoch), (reg, (#stripes, #free)))%V⌝ ∗
      is_lock γlk lk (drain_res γ epoch) ∗
      is_lock γreg reg (registry_res γ stripes free) ∗
      inv N (stat_inv γ epoch stripes).

  Definition striped_content γ X : iProp Σ := ghost_var γ.(name_content) (3/4) X.

  Local Instance stripe_res_timeless e mi i d : Timeless (stripe_res e mi i d).
  Proof.
    rewrite /stripe_res /old_res /buffer_res.
    destruct (promised _ (parity e)), mi as [[]|]; destruct (promised _ _); apply _.
  Qed.
  Local Instance body_timeless γ epoch stripes e m L T :
    Timeless (body γ epoch stripes e m L T).
  Proof. apply _. Qed.

  Global Instance is_striped_persistent γ s : Persistent (is_striped γ s).
  Proof. apply _. Qed.

  Lemma striped_content_exclusive γ X Y :
    striped_content γ X -∗ striped_content γ Y -∗ False.
  Proof. iIntros "H1 H2". by iDestruct (ghost_var_valid_2 with "H1 H2") as %[? _]. Qed.

  Lemma striped_own_exclusive γ v : striped_own γ v -∗ striped_own γ v -∗ False.
  Proof.
    iDestruct 1 as (i nm q -> _) "(#Hi & _ & H1)".
    iDestruct 1 as (i' nm' q' [= <- _ _] _) "(#Hi' & _ & H2)".
    iDestruct (ghost_map_elem_agree with "Hi Hi'") as %<-.
    by iDestruct (ghost_var_valid_2 with "H1 H2") as %[? _].
  Qed.

  (** ** Steps of one stripe

      Each lemma is one transition of the writer or of the drain, on what the
      invariant keeps of that stripe. *)

  Lemma promised_committed p X : promised (Committed p X) p = Some X.
  Proof. by rewrite /promised decide_True. Qed.
  Lemma promised_ne p p' X : p ≠ p' → promised (Committed p X) p' = None.
  Proof. intros Hp. by rewrite /promised decide_False. Qed.
  Lemma promised_other p X : promised (Committed p X) (negb p) = None.
  Proof. apply promised_ne. by destruct p. Qed.

  (** A transition that promises nothing changes nothing for the buffers. *)
  Lemma old_res_unpromised nm q q' (w w' : writer V) p mi :
    promised w p = None → promised w' p = None →
    old_res nm q w p mi -∗ old_res nm q' w' p mi.
  Proof.
    iIntros (Hw Hw') "H". rewrite /old_res /buffer_res Hw Hw'.
    destruct mi as [[]|]; try done. iDestruct "H" as "[$ _]".
    by iIntros ([? [=]]).
  Qed.

  Lemma stripe_enter e mi i d q nm :
    d.(ss_names) = nm →
    i ↦{#1/2} #q -∗ ghost_var nm.(sn_writer) (3/4) (Quiet : writer V) -∗
    stripe_res e mi i d -∗
    i ↦ #q ∗
    (i ↦ #(q + 1) ==∗
      i ↦{#1/2} #(q + 1) ∗ ghost_var nm.(sn_writer) (3/4) (Entered : writer V) ∗
      stripe_res e mi i (StripeState nm (S q) Entered d.(ss_current))).
  Proof.
    iIntros (<-) "Hi Hw (Hi' & Hw' & %Hodd & Hcur & Hold)".
    iDestruct (mapsto_agree with "Hi Hi'") as %[= Hq%(inj _)]. subst q.
    iDestruct (ghost_var_agree with "Hw Hw'") as %Hw. rewrite -Hw in Hodd |- *.
    iCombine "Hi Hi'" as "Hi". iFrame "Hi". iIntros "Hi".
    iMod (ghost_var_update_2 Entered with "Hw Hw'") as "[$ Hw']";
      first apply Qp.three_quarter_quarter.
    replace (Z.of_nat (ss_seq d) + 1)%Z with (Z.of_nat (S (ss_seq d))) by lia.
    iDestruct "Hi" as "[$ Hi]". iModIntro. rewrite /stripe_res /=. iFrame "Hi Hw'".
    rewrite parity_S Hodd. iSplit; first done. iFrame "Hcur".
    by iApply (old_res_unpromised with "Hold").
  Qed.

  (** The epoch is read: the writer takes the current buffer and leaves the
      promise that its samples [Z] will be in it. *)
  Lemma stripe_commit e mi i d q nm Z :
    d.(ss_names) = nm →
    i ↦{#1/2} #(q + 1) -∗ ghost_var nm.(sn_writer) (3/4) (Entered : writer V) -∗
    stripe_res e mi i d ==∗
    let X := d.(ss_current) ⊎ Z in
    i ↦{#1/2} #(q + 1) ∗
    ghost_var nm.(sn_writer) (3/4) (Committed (parity e) X) ∗
    acc_rep (sn_buffer nm (parity e)) d.(ss_current) ∗
    stripe_res e mi i (StripeState nm d.(ss_seq) (Committed (parity e) X) X).
  Proof.
    iIntros (<-) "$ Hw (Hi' & Hw' & %Hodd & Hcur & Hold)".
    iDestruct (ghost_var_agree with "Hw Hw'") as %Hw. rewrite -Hw in Hodd |- *.
    iMod (ghost_var_update_2 with "Hw Hw'") as "[$ Hw']";
      first apply Qp.three_quarter_quarter.
    iModIntro. rewrite {1}/buffer_res /=. iFrame "Hcur".
    rewrite /stripe_res /=. iFrame "Hi' Hw'". iSplit; first done.
    iSplitR.
    - by rewrite /buffer_res promised_committed.
    - iApply (old_res_unpromised with "Hold"); first done. apply promised_other.
  Qed.

  (** The sequence number is even again: the buffer, filled as promised, is back.
      By then it may be the current one or the old one. *)
  Lemma stripe_leave e mi i d q nm p X :
    d.(ss_names) = nm →
    i ↦{#1/2} #(q + 1) -∗
    ghost_var nm.(sn_writer) (3/4) (Committed p X) -∗
    acc_rep (sn_buffer nm p) X -∗
    stripe_res e mi i d -∗
    ⌜parity (q + 2) = false⌝ ∗ i ↦ #(q + 1) ∗
    (i ↦ #(q + 2) ==∗
      i ↦{#1/2} #(q + 2) ∗ ghost_var nm.(sn_writer) (3/4) (Quiet : writer V) ∗
      stripe_res e mi i (StripeState nm (S (S q)) Quiet d.(ss_current))).
  Proof.
    iIntros (<-) "Hi Hw Hacc (Hi' & Hw' & %Hodd & Hcur & Hold)".
    iDestruct (mapsto_agree with "Hi Hi'") as %[= Hq].
    assert (ss_seq d = S q) as Hq' by lia.
    iDestruct (ghost_var_agree with "Hw Hw'") as %Hw. rewrite -Hw in Hodd |- *.
    rewrite Hq' /= parity_S in Hodd. apply negb_true_iff in Hodd.
    iSplit. { iPureIntro. by rewrite Nat.add_comm /= !parity_S Hodd. }
    rewrite -Hq. iCombine "Hi Hi'" as "Hi". iFrame "Hi". iIntros "Hi".
    iMod (ghost_var_update_2 Quiet with "Hw Hw'") as "[$ Hw']";
      first apply Qp.three_quarter_quarter.
    replace (Z.of_nat q + 2)%Z with (Z.of_nat (S (S q))) by lia.
    iDestruct "Hi" as "[$ Hi]". iModIntro. rewrite /stripe_res /=. iFrame "Hi Hw'".
    rewrite !parity_S Hodd. iSplit; first done.
    destruct (decide (p = parity e)) as [->|Hp].
    - rewrite {1}/buffer_res promised_committed. iDestruct "Hcur" as %<-.
      iFrame "Hacc". iApply (old_res_unpromised with "Hold"); last done.
      apply promised_other.
    - rewrite {1}/buffer_res promised_ne //. iFrame "Hcur".
      assert (p = negb (parity e)) as -> by by destruct p, (parity e).
      rewrite /old_res /buffer_res promised_committed /=.
      destruct mi as [[Y|f Y|]|].
      + by iDestruct "Hold" as %<-.
      + iDestruct "Hold" as "[<- _]". iFrame. by iIntros ([? [=]]).
      + iDestruct "Hold" as %[=].
      + iDestruct "Hold" as "[%Hp' _]". done.
  Qed.

  (** The epoch is written: current becomes old, and old, which is empty, current. *)
  Lemma stripe_flip e i d :
    stripe_res e None i d -∗
    stripe_res (S e) (Some (flip_pending d)) i (flip_state d).
  Proof.
    iIntros "($ & $ & $ & Hcur & Hold)". rewrite parity_S negb_involutive /=.
    iFrame "Hcur". iDestruct "Hold" as "[%Hp Hold]". by rewrite /buffer_res Hp.
  Qed.

  (** A stripe registered after the flip has nothing to fetch; the drain may all
      the same look at it. *)
  Lemma stripe_pending_none e i d :
    stripe_res e None i d -∗ stripe_res e (Some (Pending ∅)) i d.
  Proof.
    iIntros "($ & $ & $ & $ & Hold)". iDestruct "Hold" as "[%Hp Hold]".
    by rewrite /= /buffer_res Hp.
  Qed.

  (** The drain takes the old buffer as soon as nobody is committed to it. *)
  Lemma stripe_take e mi Y i d :
    mi = Pending Y ∨ (∃ f, mi = Waiting f Y) →
    promised d.(ss_writer) (negb (parity e)) = None →
    stripe_res e (Some mi) i d -∗
    acc_rep (sn_buffer d.(ss_names) (negb (parity e))) Y ∗
    stripe_res e (Some Taken) i d.
  Proof.
    iIntros (Hmi Hp) "($ & $ & $ & $ & Hold)". rewrite /old_res /buffer_res Hp.
    destruct Hmi as [->|[f ->]]; by iFrame "Hold" || iDestruct "Hold" as "[$ _]".
  Qed.

  Lemma stripe_put_back e i d :
    acc_rep (sn_buffer d.(ss_names) (negb (parity e))) ∅ -∗
    stripe_res e (Some Taken) i d -∗ stripe_res e None i d.
  Proof. iIntros "Hacc ($ & $ & $ & $ & %Hold)". by iFrame. Qed.

  (** Reading a stripe's sequence number, by anyone. *)
  Lemma stripe_seq_acc e mi i d :
    stripe_res e mi i d -∗
    i ↦{#1/2} #d.(ss_seq) ∗ (i ↦{#1/2} #d.(ss_seq) -∗ stripe_res e mi i d).
  Proof. iIntros "[$ $]". auto. Qed.

  (** An even number: nobody is committed to any buffer. *)
  Lemma stripe_even e mi i d p :
    parity d.(ss_seq) = false →
    stripe_res e mi i d -∗ ⌜promised d.(ss_writer) p = None⌝.
  Proof.
    iIntros (Heven) "(_ & _ & %Hodd & _)". iPureIntro.
    rewrite Heven in Hodd. by destruct (ss_writer d).
  Qed.

  (** An odd number: whoever is committed to the old buffer is so at this number. *)
  Lemma stripe_wait e Y i d :
    stripe_res e (Some (Pending Y)) i d -∗
    stripe_res e (Some (Waiting d.(ss_seq) Y)) i d.
  Proof. iIntros "($ & $ & $ & $ & $) /=". auto. Qed.

  (** Another number than the one waited at: that add is over. *)
  Lemma stripe_changed e f Y i d :
    d.(ss_seq) ≠ f →
    stripe_res e (Some (Waiting f Y)) i d -∗
    ⌜promised d.(ss_writer) (negb (parity e)) = None⌝.
  Proof.
    iIntros (Hne) "(_ & _ & _ & _ & [_ %Hf])". iPureIntro.
    destruct (promised _ _) eqn:Hp; last done. exfalso. eauto.
  Qed.

  (** ** Access to one stripe in the invariant *)

  Lemma body_stripe γ epoch stripes e m L T i nm :
    i ↪[γ.(name_stripes)]□ nm -∗ body γ epoch stripes e m L T -∗
    ∃ d, ⌜T !! i = Some d⌝ ∗ ⌜d.(ss_names) = nm⌝ ∗
      epoch ↦{#1/2} #e ∗
      ghost_var γ.(name_pending) (1/2) m ∗
      ghost_var γ.(name_content) (1/4) (contents T) ∗
      stripe_res e (m !! i) i d ∗
      (∀ d' m', ⌜d'.(ss_names) = nm⌝ -∗ ⌜∀ j, j ≠ i → m' !! j = m !! j⌝ -∗
        epoch ↦{#1/2} #e -∗
        ghost_var γ.(name_pending) (1/2) m' -∗
        ghost_var γ.(name_content) (1/4) (contents (<[i:=d']> T)) -∗
        stripe_res e (m' !! i) i d' -∗
        body γ epoch stripes e m' L (<[i:=d']> T)).
  Proof.
    iIntros "#Hi (He & Hst & Hm & HX & Hauth & #HL & (%Hnd & %HT & %Hdom) & HT)".
    iDestruct (ghost_map_lookup with "Hauth Hi") as %HL.
    rewrite -HT lookup_fmap in HL.
    destruct (T !! i) as [d|] eqn:Hd; last done. injection HL as Hnm.
    iDestruct (big_sepM_delete with "HT") as "[Hd HT]"; first done.
    iExists d. iFrame "He Hm HX Hd". do 2 (iSplit; first done).
    iIntros (d' m' Hnm' Hm') "He Hm HX Hd". rewrite /body. iFrame "He Hst Hm HX Hauth HL".
    iSplit; first iPureIntro.
    { split_and!; first done.
      - rewrite fmap_insert Hnm' -HT. apply insert_id. by rewrite lookup_fmap Hd /= Hnm.
      - intros j. rewrite dom_insert. destruct (decide (j = i)) as [->|Hj]; first set_solver.
        rewrite elem_of_dom Hm' // -elem_of_dom. set_solver. }
    iApply big_sepM_insert_delete. iFrame "Hd".
    iApply (big_sepM_impl with "HT"). iIntros "!>" (j dj Hj) "H".
    apply lookup_delete_Some in Hj as [Hj _]. by rewrite Hm'.
  Qed.

  (** ** Add *)

  Lemma stripe_buffer_spec i nm e :
    {{{ True }}} stripe_buffer (stripe_val i nm) #e
    {{{ RET #(sn_buffer nm (parity e)); True }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_lam. wp_pures. rewrite rem_2_parity.
    destruct (parity e); wp_pures; by iApply "HΦ".
  Qed.

  (** An add of whatever multiset [Z] the function [f] puts into a buffer. *)
  Lemma update_spec γ epoch stripes v (f : val) Z :
    (∀ l X, {{{ acc_rep l X }}} f #l {{{ RET #(); acc_rep l (X ⊎ Z) }}}) →
    inv N (stat_inv γ epoch stripes) -∗ striped_own γ v -∗ ∀ Φ,
    AU << ∃∃ X, striped_content γ X >> @ ⊤ ∖ ↑N, ∅
       << striped_content γ (X ⊎ Z), COMM striped_own γ v -∗ Φ #() >> -∗
    WP update v #epoch f {{ Φ }}.
  Proof.
    iIntros (Hf) "#Hinv".
    iDestruct 1 as (i nm q -> Hq) "(#Hreg & Hi & Hw)". iIntros (Φ) "AU".
    wp_lam. wp_let. wp_let.
    (* seq := q + 1 *)
    wp_lam. wp_lam. wp_proj. wp_load. wp_let. wp_smart_apply wp_assert.
    wp_lam. wp_pures. rewrite rem_2_parity Hq.
    iModIntro. iSplit; first done. iIntros "!>". wp_pures. wp_lam. wp_proj.
    wp_bind (_ <- _)%E.
    iInv N as (e m L T) ">Hbody".
    iDestruct (body_stripe with "Hreg Hbody") as (d Hd Hnm) "(He & Hm & HX & Hd & Hclose)".
    iDestruct (stripe_enter with "Hi Hw Hd") as "(Hi & Henter)"; first done.
    wp_store. iMod ("Henter" with "Hi") as "(Hi & Hw & Hd)".
    iModIntro. iSplitL "He Hm HX Hd Hclose".
    { iNext. iExists _, _, _, _. iApply ("Hclose" with "[] [] He Hm [HX] Hd"); [done|done|].
      by rewrite (contents_update T i d). }
    clear e m L T d Hd Hnm.
    (* e := epoch: here the sample is added *)
    wp_pures. wp_lam. wp_pures. wp_bind (! _)%E.
    iInv N as (e m L T) ">Hbody".
    iDestruct (body_stripe with "Hreg Hbody") as (d Hd Hnm) "(He & Hm & HX & Hd & Hclose)".
    iMod "AU" as (X) "[HX' [_ Hcommit]]".
    wp_load.
    iMod (stripe_commit _ _ _ _ _ _ Z with "Hi Hw Hd") as "(Hi & Hw & Hacc & Hd)"; first done.
    iDestruct (ghost_var_agree with "HX HX'") as %<-.
    iMod (ghost_var_update_2 (contents T ⊎ Z) with "HX HX'") as "[HX HX']";
      first apply Qp.quarter_three_quarter.
    iMod ("Hcommit" with "HX'") as "HΦ".
    iModIntro. iSplitL "He Hm HX Hd Hclose".
    { iIntros "!> !>". iExists _, _, _, _.
      iApply ("Hclose" with "[] [] He Hm [HX] Hd"); [done|done|].
      by rewrite (contents_add T i d _ Z). }
    iModIntro. generalize (ss_current d) => X. clear m L T d Hd Hnm.
    (* the buffer is filled *)
    wp_pures. wp_apply (stripe_buffer_spec i nm); first done. iIntros "_".
    wp_apply (Hf with "Hacc"). iIntros "Hacc". wp_pures.
    (* seq := q + 2 *)
    wp_lam. wp_pures. wp_lam. wp_proj.
    replace (q + 1 + 1)%Z with (q + 2)%Z by lia.
    iInv N as (e' m L T) ">Hbody".
    iDestruct (body_stripe with "Hreg Hbody") as (d Hd Hnm) "(He & Hm & HX & Hd & Hclose)".
    iDestruct (stripe_leave with "Hi Hw Hacc Hd") as (Hq2) "(Hi & Hleave)"; first done.
    wp_store. iMod ("Hleave" with "Hi") as "(Hi & Hw & Hd)".
    iModIntro. iSplitL "He Hm HX Hd Hclose".
    { iNext. iExists _, _, _, _. iApply ("Hclose" with "[] [] He Hm [HX] Hd"); [done|done|].
      by rewrite (contents_update T i d). }
    iApply "HΦ". iExists i, nm, (q + 2). rewrite Nat2Z.inj_add. by iFrame "Hreg Hi Hw".
  Qed.

  Lemma add_proof γ s v x :
    is_striped γ s -∗ striped_own γ v -∗ ∀ Φ,
    AU << ∃∃ X, striped_content γ X >> @ ⊤ ∖ ↑N, ∅
       << striped_content γ (X ⊎ {[+ x +]}), COMM striped_own γ v -∗ Φ #() >> -∗
    WP add A s v (enc x) {{ Φ }}.
  Proof.
    iDestruct 1 as (lk reg epoch stripes free γlk γreg ->) "(_ & _ & #Hinv)".
    iIntros "Hown" (Φ) "AU". wp_lam. wp_pures. wp_lam. wp_pures.
    iApply (update_spec with "Hinv Hown AU").
    iIntros (l X Ψ) "Hl HΨ". wp_pures. by wp_apply (acc_record_spec with "Hl").
  Qed.

  Lemma record_all_spec l X vs :
    {{{ acc_rep l X }}} record_all A #l (list_val (enc <$> vs))
    {{{ RET #(); acc_rep l (X ⊎ list_to_set_disj vs) }}}.
  Proof.
    iIntros (Φ) "Hl HΦ". iInduction vs as [|x vs] "IH" forall (X); wp_rec; wp_pures.
    - iApply "HΦ". by rewrite right_id_L.
    - wp_apply (acc_record_spec with "Hl"). iIntros "Hl". wp_pures.
      iApply ("IH" with "Hl"). by rewrite -assoc_L -list_to_set_disj_cons.
  Qed.

  Lemma add_batch_proof γ s v xs :
    is_striped γ s -∗ striped_own γ v -∗ ∀ Φ,
    AU << ∃∃ X, striped_content γ X >> @ ⊤ ∖ ↑N, ∅
       << striped_content γ (X ⊎ list_to_set_disj xs), COMM striped_own γ v -∗ Φ #() >> -∗
    WP add_batch A s v (list_val (enc <$> xs)) {{ Φ }}.
  Proof.
    iDestruct 1 as (lk reg epoch stripes free γlk γreg ->) "(_ & _ & #Hinv)".
    iIntros "Hown" (Φ) "AU". wp_lam. wp_pures. wp_lam. wp_pures.
    iApply (update_spec with "Hinv Hown AU").
    iIntros (l X Ψ) "Hl HΨ". wp_pures. by wp_apply (record_all_spec with "Hl").
  Qed.

  (** ** Drain *)

  Definition all_pending m : Prop := map_Forall (λ _ p, ∃ Y, p = Pending Y) m.

  (** What the running drain holds: its half of the epoch, already written, and
      its half of the record of what is still to be fetched. *)
  Definition drain_own γ (epoch : loc) e m : iProp Σ :=
    epoch ↦{#1/2} #(S e) ∗ ghost_var γ.(name_pending) (1/2) m.

  Definition set_pending i (mi : option (pending V)) m : gmap loc (pending V) :=
    match mi with Some p => <[i:=p]> m | None => delete i m end.

  Lemma body_drain_stripe γ epoch stripes e e' m m' L T i nm :
    i ↪[γ.(name_stripes)]□ nm -∗
    drain_own γ epoch e m -∗ body γ epoch stripes e' m' L T -∗
    ∃ d, ⌜e' = S e⌝ ∗ ⌜m' = m⌝ ∗ ⌜d.(ss_names) = nm⌝ ∗ stripe_res (S e) (m !! i) i d ∗
      (∀ mi', stripe_res (S e) mi' i d ==∗
        drain_own γ epoch e (set_pending i mi' m) ∗
        body γ epoch stripes (S e) (set_pending i mi' m) L T).
  Proof.
    iIntros "#Hreg [He' Hm'] Hbody".
    iDestruct (body_stripe with "Hreg Hbody") as (d Hd Hnm) "(He & Hm & HX & Hd & Hclose)".
    iDestruct (mapsto_agree with "He He'") as %[= ->%(inj Z.of_nat)].
    iDestruct (ghost_var_agree with "Hm Hm'") as %->.
    iExists d. do 3 (iSplit; first done). iFrame "Hd". iIntros (mi') "Hd".
    iMod (ghost_var_update_halves with "Hm Hm'") as "[Hm $]". iFrame "He'".
    iModIntro.
    iDestruct ("Hclose" $! d (set_pending i mi' m)
                 with "[//] [] He Hm [HX] [Hd]") as "Hbody".
    - iIntros (j Hj). iPureIntro. destruct mi'; simpl.
      + by rewrite lookup_insert_ne.
      + by rewrite lookup_delete_ne.
    - by rewrite insert_id.
    - destruct mi'; simpl; by rewrite ?lookup_insert ?lookup_delete.
    - by rewrite insert_id.
  Qed.

  Lemma wait_change_spec γ epoch stripes e m i nm q Y :
    m !! i = Some (Waiting q Y) →
    inv N (stat_inv γ epoch stripes) -∗ i ↪[γ.(name_stripes)]□ nm -∗
    {{{ drain_own γ epoch e m }}}
      wait_change (stripe_val i nm) #q
    {{{ RET #(); drain_own γ epoch e (<[i:=Taken]> m) ∗
                 acc_rep (sn_buffer nm (parity e)) Y }}}.
  Proof.
    iIntros (Hmi) "#Hinv #Hreg". iIntros (Φ) "!> Hdr HΦ". iLöb as "IH".
    wp_rec. wp_pures. wp_lam. wp_proj. wp_bind (! _)%E.
    iInv N as (e' m' L T) ">Hbody".
    iDestruct (body_drain_stripe with "Hreg Hdr Hbody") as (d -> -> <-) "[Hd Hclose]".
    rewrite Hmi.
    iDestruct (stripe_seq_acc with "Hd") as "[Hseq Hd]". wp_load.
    iDestruct ("Hd" with "Hseq") as "Hd".
    destruct (decide (ss_seq d = q)) as [->|Hq].
    - iMod ("Hclose" with "Hd") as "[Hdr Hbody]".
      rewrite /= (insert_id m i _ Hmi).
      iModIntro. iSplitL "Hbody"; first by iExists _, _, _, _.
      wp_pures. rewrite bool_decide_true //. wp_if. iApply ("IH" with "Hdr HΦ").
    - iDestruct (stripe_changed with "Hd") as %Hp; first done.
      iDestruct (stripe_take with "Hd") as "[Hacc Hd]"; [by eauto|done|].
      iMod ("Hclose" with "Hd") as "[Hdr Hbody]".
      iModIntro. iSplitL "Hbody"; first by iExists _, _, _, _.
      wp_pures. rewrite bool_decide_false; last first.
      { intros [= ?]. by apply Hq, (inj Z.of_nat). }
      wp_if. iApply "HΦ". rewrite parity_S negb_involutive. by iFrame.
  Qed.

  Lemma wait_out_spec γ epoch stripes e m i nm :
    all_pending m →
    inv N (stat_inv γ epoch stripes) -∗ i ↪[γ.(name_stripes)]□ nm -∗
    {{{ drain_own γ epoch e m }}}
      wait_out (stripe_val i nm)
    {{{ RET #(); drain_own γ epoch e (<[i:=Taken]> m) ∗
                 acc_rep (sn_buffer nm (parity e))
                         (from_option pending_content ∅ (m !! i)) }}}.
  Proof.
    iIntros (Hpend) "#Hinv #Hreg". iIntros (Φ) "!> Hdr HΦ".
    wp_lam. wp_lam. wp_proj. wp_bind (! _)%E.
    iInv N as (e' m' L T) ">Hbody".
    iDestruct (body_drain_stripe with "Hreg Hdr Hbody") as (d -> -> <-) "[Hd Hclose]".
    iDestruct (stripe_seq_acc with "Hd") as "[Hseq Hd]". wp_load.
    iDestruct ("Hd" with "Hseq") as "Hd".
    set Y := from_option pending_content ∅ (m !! i).
    iAssert (stripe_res (S e) (Some (Pending Y)) i d) with "[Hd]" as "Hd".
    { rewrite /Y. destruct (m !! i) as [p|] eqn:Hmi; last by iApply stripe_pending_none.
      by destruct (Hpend i p Hmi) as [Y' ->]. }
    clearbody Y. destruct (parity (ss_seq d)) eqn:Hodd.
    - iDestruct (stripe_wait with "Hd") as "Hd".
      iMod ("Hclose" with "Hd") as "[Hdr Hbody]".
      iModIntro. iSplitL "Hbody"; first by iExists _, _, _, _.
      wp_pures. wp_lam. wp_pures. rewrite rem_2_parity Hodd. wp_pures.
      wp_apply (wait_change_spec with "Hinv Hreg Hdr"); first apply lookup_insert.
      by rewrite insert_insert.
    - iDestruct (stripe_even with "Hd") as %Hp; first done.
      iDestruct (stripe_take with "Hd") as "[Hacc Hd]"; [by eauto|done|].
      iMod ("Hclose" with "Hd") as "[Hdr Hbody]".
      iModIntro. iSplitL "Hbody"; first by iExists _, _, _, _.
      wp_pures. wp_lam. wp_pures. rewrite rem_2_parity Hodd. wp_pures.
      iApply "HΦ". rewrite parity_S negb_involutive. by iFrame.
  Qed.

  (** The emptied buffer goes back to the invariant. *)
  Lemma put_back γ epoch stripes e m i nm :
    inv N (stat_inv γ epoch stripes) -∗ i ↪[γ.(name_stripes)]□ nm -∗
    drain_own γ epoch e (<[i:=Taken]> m) -∗ acc_rep (sn_buffer nm (parity e)) ∅ ={⊤}=∗
    drain_own γ epoch e (delete i m).
  Proof.
    iIntros "#Hinv #Hreg Hdr Hacc". iInv N as (e' m' L T) ">Hbody".
    iDestruct (body_drain_stripe with "Hreg Hdr Hbody") as (d -> -> <-) "[Hd Hclose]".
    rewrite lookup_insert.
    iDestruct (stripe_put_back with "[Hacc] Hd") as "Hd".
    { by rewrite parity_S negb_involutive. }
    iMod ("Hclose" with "Hd") as "[Hdr Hbody]".
    rewrite /= delete_insert_delete.
    iModIntro. iSplitL "Hbody"; first by iExists _, _, _, _. done.
  Qed.

  Lemma visit_stripes_spec γ epoch stripes e (t : loc) L m X :
    all_pending m → NoDup L.*1 → dom m ⊆ (list_to_set L.*1 : gset loc) →
    inv N (stat_inv γ epoch stripes) -∗
    ([∗ list] s ∈ L, s.1 ↪[γ.(name_stripes)]□ s.2) -∗
    {{{ drain_own γ epoch e m ∗ acc_rep t X }}}
      visit_stripes A (stripes_val L) #e #t
    {{{ RET #(); drain_own γ epoch e ∅ ∗ acc_rep t (X ⊎ contents_pending m) }}}.
  Proof.
    iIntros (Hpend Hnd Hdom) "#Hinv #HL". iIntros (Φ) "!> [Hdr Ht] HΦ".
    iInduction L as [|[i nm] L] "IH" forall (m X Hpend Hnd Hdom); wp_rec; wp_pures.
    { assert (m = ∅) as -> by (apply dom_empty_inv_L; set_solver).
      iApply "HΦ". iFrame. by rewrite /contents_pending msum_empty right_id_L. }
    iEval (rewrite big_sepL_cons) in "HL". iDestruct "HL" as "[#Hi #HL']". simpl in Hnd, Hdom.
    apply NoDup_cons in Hnd as [Hni Hnd].
    wp_apply (wait_out_spec with "Hinv Hi Hdr"); first done. iIntros "[Hdr Hacc]".
    wp_pures. wp_lam. wp_pures. wp_apply (stripe_buffer_spec i nm); first done.
    iIntros "_". wp_let. wp_apply (acc_merge_spec with "[$Ht $Hacc]"). iIntros "[Ht Hacc]".
    wp_pures. wp_apply (acc_clear_spec with "Hacc"). iIntros "Hacc".
    iMod (put_back with "Hinv Hi Hdr Hacc") as "Hdr". wp_pures.
    iApply ("IH" with "[] [] [] HL' Hdr Ht").
    - iPureIntro. by apply map_Forall_delete.
    - done.
    - iPureIntro. set_solver.
    - rewrite -assoc_L /contents_pending -msum_delete. done.
  Qed.

  Lemma all_pending_flip T : all_pending (flip_pending <$> T).
  Proof.
    intros i p. rewrite lookup_fmap. destruct (T !! i); intros [= <-]. by eexists.
  Qed.

  (** The flip of the whole statistic. *)
  Lemma body_flip γ (epoch stripes : loc) e L T :
    epoch ↦{#1/2} #(S e) -∗
    stripes ↦{#1/2} stripes_val L -∗
    ghost_var γ.(name_pending) (1/2) (flip_pending <$> T) -∗
    ghost_var γ.(name_content) (1/4) (∅ : gmultiset V) -∗
    ghost_map_auth γ.(name_stripes) 1 (list_to_map L : gmap loc stripe_names) -∗
    ([∗ list] s ∈ L, s.1 ↪[γ.(name_stripes)]□ s.2) -∗
    ⌜NoDup L.*1⌝ -∗ ⌜ss_names <$> T = list_to_map L⌝ -∗
    ([∗ map] i ↦ d ∈ T, stripe_res e None i d) -∗
    body γ epoch stripes (S e) (flip_pending <$> T) L (flip_state <$> T).
  Proof.
    iIntros "He Hst Hm HX Hauth HL %Hnd %HT Hres".
    rewrite /body contents_flip. iFrame "He Hst Hm HX Hauth HL". iSplit.
    { iPureIntro. split_and!; [done| |set_solver].
      by rewrite -map_fmap_compose -HT. }
    rewrite big_sepM_fmap. iApply (big_sepM_impl with "Hres").
    iIntros "!>" (i d Hd) "Hd". rewrite lookup_fmap Hd. by iApply stripe_flip.
  Qed.

  Lemma drain_proof γ s :
    is_striped γ s -∗
    <<< ∀∀ X, striped_content γ X >>>
      drain A s @ ↑N
    <<< striped_content γ ∅, RET summary X >>>.
  Proof.
    iDestruct 1 as (lk reg epoch stripes free γlk γreg ->) "(#Hlk & _ & #Hinv)".
    iIntros (Φ) "AU". wp_lam. wp_lam. wp_pures. wp_apply (acquire_spec with "Hlk").
    iIntros "[Hlocked (%e & He' & Hm')]". wp_pures. wp_lam. wp_lam. wp_pures. wp_load.
    (* epoch := e + 1: here the drain takes effect *)
    wp_pures. wp_lam. wp_pures. wp_bind (_ <- _)%E.
    iInv N as (e' m L T) ">(He & Hst & Hm & HX & Hauth & #HL & (%Hnd & %HT & %Hdom) & HT)".
    iMod "AU" as (X) "[HX' [_ Hcommit]]".
    iDestruct (mapsto_agree with "He He'") as %[= ->%(inj Z.of_nat)].
    iCombine "He He'" as "He". wp_store.
    iDestruct (ghost_var_agree with "Hm Hm'") as %->.
    iMod (ghost_var_update_halves (flip_pending <$> T) with "Hm Hm'") as "[Hm Hm']".
    iDestruct (ghost_var_agree with "HX HX'") as %<-.
    iMod (ghost_var_update_2 ∅ with "HX HX'") as "[HX HX']";
      first apply Qp.quarter_three_quarter.
    iMod ("Hcommit" with "HX'") as "HΦ".
    replace (Z.of_nat e + 1)%Z with (Z.of_nat (S e)) by lia.
    iDestruct "He" as "[He He']". iModIntro. iSplitL "He Hst Hm HX Hauth HT".
    { iIntros "!> !>". iExists _, _, _, _.
      iApply (body_flip with "He Hst Hm HX Hauth HL [//] [//]").
      iApply (big_sepM_impl with "HT"). iIntros "!>" (i d Hd).
      rewrite lookup_empty. auto. }
    iModIntro. iAssert (drain_own γ epoch e _) with "[$He' $Hm']" as "Hdr".
    rewrite -(contents_pending_flip T).
    pose proof (all_pending_flip T) as Hpend. revert Hpend.
    generalize (flip_pending <$> T) => {}m Hpend. iClear "HL". clear L T Hnd HT Hdom.
    (* the list of stripes is read *)
    wp_pures. wp_lam. wp_pures.
    wp_apply (acc_new_spec with "[//]"). iIntros (t) "Ht". wp_let. wp_lam. wp_pures. wp_bind (! _)%E.
    iInv N as (e' m' L T) ">(He & Hst & Hm & HX & Hauth & #HL & (%Hnd & %HT & %Hdom) & HT)".
    wp_load. iDestruct "Hdr" as "[He' Hm']".
    iDestruct (ghost_var_agree with "Hm Hm'") as %->.
    iAssert (drain_own γ epoch e _) with "[$He' $Hm']" as "Hdr".
    iModIntro. iSplitL "He Hst Hm HX Hauth HT".
    { iIntros "!>". iExists _, _, _, _. rewrite /body. by iFrame "He Hst Hm HX Hauth HL HT". }
    (* every stripe's old buffer is fetched *)
    wp_apply (visit_stripes_spec with "Hinv HL [$Hdr $Ht]"); [done|done|..].
    { rewrite -(dom_list_to_map_L L) -HT dom_fmap_L //. }
    iIntros "[[He Hm] Ht]". rewrite left_id_L.
    wp_pures. wp_apply (acc_read_spec with "Ht"). iIntros "_".
    wp_pures. wp_lam. wp_pures. wp_apply (release_spec with "[$Hlk $Hlocked He Hm]").
    { iExists _. iFrame. }
    iIntros "_". by wp_pures.
  Qed.

  (** ** Construction and registration *)

  Lemma ghost_var_quarter {B} `{!ghost_varG Σ B} (γ : gname) (b : B) :
    ghost_var γ 1 b -∗ ghost_var γ (1/4) b ∗ ghost_var γ (3/4) b.
  Proof. rewrite -{1}Qp.quarter_three_quarter. iIntros "[$ $]". Qed.

  Lemma new_stat_proof :
    {{{ True }}} new_stat #()
    {{{ γ s, RET s; is_striped γ s ∗ striped_content γ ∅ }}}.
  Proof.
    iIntros (Φ) "_ HΦ". wp_lam.
    wp_alloc epoch as "[He He']". wp_let. wp_alloc stripes as "[Hst Hst']". wp_let.
    wp_alloc free as "Hfree". wp_let.
    iMod (ghost_var_alloc (∅ : gmultiset V)) as (γX) "HX".
    iDestruct (ghost_var_quarter with "HX") as "[HX HX']".
    iMod (ghost_var_alloc (∅ : gmap loc (pending V))) as (γm) "[Hm Hm']".
    iMod (ghost_map_alloc_empty (K:=loc) (V:=stripe_names)) as (γT) "Hauth".
    set γ := StripedName γX γm γT.
    wp_apply (newlock_spec (drain_res γ epoch) with "[He' Hm']").
    { iExists 0. by iFrame "He' Hm'". }
    iIntros (lk γlk) "Hlk". wp_let.
    wp_apply (newlock_spec (registry_res γ stripes free) with "[Hst' Hfree]").
    { iExists [], []. by iFrame. }
    iIntros (reg γreg) "Hreg".
    iMod (inv_alloc N _ (stat_inv γ epoch stripes) with "[He Hst HX Hm Hauth]") as "#Hinv".
    { iNext. iExists 0, ∅, [], ∅. rewrite /body /contents msum_empty. iFrame.
      rewrite big_sepL_nil big_sepM_empty. iPureIntro.
      split_and!; [done|apply NoDup_nil_2|by rewrite fmap_empty|done|done]. }
    wp_pures. iApply ("HΦ" $! γ). iFrame "HX'".
    iExists _, _, _, _, _, _, _. by iFrame "Hlk Hreg Hinv".
  Qed.

  (** A new stripe: both buffers empty, the writer quiet. *)
  Lemma stripe_res_new e i nm :
    i ↦{#1/2} #0 -∗ ghost_var nm.(sn_writer) (1/4) (Quiet : writer V) -∗
    acc_rep nm.(sn_buffer0) ∅ -∗ acc_rep nm.(sn_buffer1) ∅ -∗
    stripe_res e None i (StripeState nm 0 Quiet ∅).
  Proof.
    iIntros "Hi Hw H0 H1". rewrite /stripe_res /old_res /buffer_res /=. iFrame "Hi Hw".
    destruct (parity e) => /=; by iFrame.
  Qed.

  (** A stripe may be registered at any time, also while a drain is at work. *)
  Lemma body_register γ epoch stripes e m L T i nm vs :
    i ↦ #0 -∗ ghost_var nm.(sn_writer) 1 (Quiet : writer V) -∗
    acc_rep nm.(sn_buffer0) ∅ -∗ acc_rep nm.(sn_buffer1) ∅ -∗
    stripes ↦{#1/2} vs -∗
    body γ epoch stripes e m L T -∗
    ⌜vs = stripes_val L⌝ ∗ stripes ↦ vs ∗
    (stripes ↦ SOMEV (stripe_val i nm, vs) ==∗
      stripes ↦{#1/2} stripes_val (pair i nm :: L) ∗ striped_own γ (stripe_val i nm) ∗
      body γ epoch stripes e m ((i, nm) :: L) (<[i:=StripeState nm 0 Quiet ∅]> T)).
  Proof.
    iIntros "[Hi Hi'] Hw H0 H1 Hst (He & Hst' & Hm & HX & Hauth & #HL & (%Hnd & %HT & %Hdom) & HT)".
    iDestruct (mapsto_agree with "Hst Hst'") as %->. iSplit; first done.
    iCombine "Hst Hst'" as "Hst". iFrame "Hst". iIntros "[$ Hst]".
    iAssert ⌜T !! i = None⌝%I as %Hi.
    { destruct (T !! i) as [d|] eqn:Hd; last done.
      iDestruct (big_sepM_lookup with "HT") as "[Hi'' _]"; first done.
      iCombine "Hi Hi'" as "Hi".
      by iDestruct (mapsto_valid_2 with "Hi Hi''") as %[? _]. }
    assert ((list_to_map L : gmap loc stripe_names) !! i = None) as HLi.
    { by rewrite -HT lookup_fmap Hi. }
    iMod (ghost_map_insert_persist i nm with "Hauth") as "[Hauth #Hreg]"; first done.
    iDestruct (ghost_var_quarter with "Hw") as "[Hw' Hw]".
    iModIntro. iSplitL "Hi' Hw".
    { iExists i, nm, 0. by iFrame "Hreg Hi' Hw". }
    rewrite /body contents_new //. iFrame "He Hst Hm HX". simpl. iFrame "Hauth Hreg HL".
    iSplit.
    { iPureIntro. split_and!.
      - apply NoDup_cons. split; last done. by apply not_elem_of_list_to_map in HLi.
      - by rewrite fmap_insert HT.
      - rewrite dom_insert. set_solver. }
    rewrite big_sepM_insert //. iFrame "HT".
    assert (m !! i = None) as ->.
    { apply not_elem_of_dom. apply not_elem_of_dom in Hi. set_solver. }
    iApply (stripe_res_new with "Hi Hw' H0 H1").
  Qed.

  Lemma lease_proof γ s :
    {{{ is_striped γ s }}} lease A s {{{ v, RET v; striped_own γ v }}}.
  Proof.
    iIntros (Φ). iDestruct 1 as (lk reg epoch stripes free γlk γreg ->) "(_ & #Hreg & #Hinv)".
    iIntros "HΦ". wp_lam. wp_lam. wp_pures. wp_apply (acquire_spec with "Hreg").
    iIntros "[Hlocked (%L & %F & Hst & Hfree & HF)]". wp_pures. wp_lam. wp_pures. wp_load.
    destruct F as [|v F]; wp_pures.
    - (* no free stripe: a new one at the head of the list *)
      wp_lam. wp_lam. wp_pures. wp_load. wp_let.
      wp_lam. wp_apply (acc_new_spec with "[//]"). iIntros (b0) "H0". wp_let.
      wp_apply (acc_new_spec with "[//]"). iIntros (b1) "H1". wp_let.
      wp_alloc i as "Hi". wp_pures. wp_lam. wp_pures. wp_bind (_ <- _)%E.
      iMod (ghost_var_alloc (Quiet : writer V)) as (γw) "Hw".
      set nm := StripeNames b0 b1 γw.
      iInv N as (e m L' T) ">Hbody".
      iDestruct (body_register _ _ _ _ _ _ _ i nm with "Hi Hw H0 H1 Hst Hbody")
        as (HL) "[Hst Hclose]".
      wp_store. iMod ("Hclose" with "Hst") as "(Hst & Hown & Hbody)".
      iModIntro. iSplitL "Hbody"; first by iExists _, _, _, _.
      wp_pures. wp_lam. wp_pures.
      wp_apply (release_spec with "[$Hreg $Hlocked Hst Hfree HF]").
      { iExists _, []. by iFrame "Hst Hfree". }
      iIntros "_". wp_pures. by iApply "HΦ".
    - (* a free one *)
      iDestruct "HF" as "[Hown HF]". wp_lam. wp_pures. wp_store. wp_pures. wp_lam. wp_pures.
      wp_apply (release_spec with "[$Hreg $Hlocked Hst Hfree HF]").
      { iExists L, F. iFrame. }
      iIntros "_". wp_pures. by iApply "HΦ".
  Qed.

  Lemma hand_over_proof γ s v :
    {{{ is_striped γ s ∗ striped_own γ v }}} hand_over s v {{{ RET #(); True }}}.
  Proof.
    iIntros (Φ) "[Hs Hown] HΦ".
    iDestruct "Hs" as (lk reg epoch stripes free γlk γreg ->) "(_ & #Hreg & _)".
    wp_lam. wp_pures. wp_lam. wp_pures. wp_apply (acquire_spec with "Hreg").
    iIntros "[Hlocked (%L & %F & Hst & Hfree & HF)]". wp_pures. wp_lam. wp_pures. wp_load.
    wp_pures. wp_lam. wp_pures. wp_store. wp_pures. wp_lam. wp_pures.
    wp_apply (release_spec with "[$Hreg $Hlocked Hst Hfree HF Hown]"); last done.
    iExists L, (v :: F). by iFrame.
  Qed.

  (** ** The theorem *)

  Global Program Instance striped_correct : striped_stat A enc summary N := {|
    stat_name := striped_name;
    spec.is_stat := is_striped;
    spec.stat_content := striped_content;
    spec.stripe_own := striped_own;
    spec.stat_content_exclusive := striped_content_exclusive;
    spec.stripe_own_exclusive := striped_own_exclusive;
    spec.new_stat_spec := new_stat_proof;
    spec.lease_spec := lease_proof;
    spec.hand_over_spec := hand_over_proof;
    spec.add_spec := add_proof;
    spec.add_batch_spec := add_batch_proof;
    spec.drain_spec := drain_proof;
  |}.
End proof.

Global Typeclasses Opaque is_striped striped_content striped_own.
