(** The striped statistic, in HeapLang.

    This is the protocol of [src/striped.rs], function by function and statement
    by statement; README.md holds the map.  It is generic over the accumulator,
    which is any object with the five operations of [acc_code]. *)
From iris.heap_lang Require Import lang notation.
From iris.heap_lang.lib Require Import spin_lock assert.
From iris.prelude Require Import options.

(** The operations of an accumulator.  An accumulator is a mutable object of as
    many words as it likes: none of its operations needs to be atomic. *)
Record acc_code := AccCode {
  acc_new : val;     (* [acc_new #()]: a fresh accumulator, empty *)
  acc_record : val;  (* [acc_record l v]: add the sample [v] to [l] *)
  acc_merge : val;   (* [acc_merge t l]: add all that [l] holds to [t] *)
  acc_clear : val;   (* [acc_clear l]: empty [l] *)
  acc_read : val;    (* [acc_read l]: the summary that [l] holds, as a value *)
}.

(** ** Shape of the objects

    A statistic is [((lock, epoch), (registry lock, (stripes, free)))].
    A stripe is [(seq, (buffer 0, buffer 1))].
    Lists are [NONE] or [SOME (head, tail)]. *)
Definition stat_lock : val := λ: "s", Fst (Fst "s").
Definition stat_epoch : val := λ: "s", Snd (Fst "s").
Definition registry_lock : val := λ: "s", Fst (Snd "s").
Definition registry_stripes : val := λ: "s", Fst (Snd (Snd "s")).
Definition registry_free : val := λ: "s", Snd (Snd (Snd "s")).
Definition stripe_seq : val := λ: "i", Fst "i".

(** [buffers[e & 1]]. *)
Definition stripe_buffer : val := λ: "i" "e",
  if: "e" `rem` #2 = #0 then Fst (Snd "i") else Snd (Snd "i").

Definition is_odd : val := λ: "q", "q" `rem` #2 ≠ #0.

(** The two halves of the asymmetric fence do nothing here: HeapLang is
    sequentially consistent. *)
Definition light_fence : val := λ: <>, #().
Definition heavy_fence : val := λ: <>, #().

(** Lists as values. *)
Fixpoint list_val (l : list val) : val :=
  match l with [] => NONEV | x :: l => SOMEV (x, list_val l) end.

Section code.
  Context (A : acc_code).

  Definition new_stat : val := λ: <>,
    let: "epoch" := ref #0 in
    let: "stripes" := ref NONE in
    let: "free" := ref NONE in
    let: "lk" := newlock #() in
    let: "reg" := newlock #() in
    (("lk", "epoch"), ("reg", ("stripes", "free"))).

  (** ** Registration and hand-over *)

  Definition new_stripe : val := λ: <>,
    let: "b0" := A.(acc_new) #() in
    let: "b1" := A.(acc_new) #() in
    (ref #0, ("b0", "b1")).

  (** Only under the registry lock. *)
  Definition register : val := λ: "s",
    let: "next" := !(registry_stripes "s") in
    let: "i" := new_stripe #() in
    registry_stripes "s" <- SOME ("i", "next");;
    "i".

  Definition lease : val := λ: "s",
    acquire (registry_lock "s");;
    let: "i" :=
      match: !(registry_free "s") with
        SOME "c" => registry_free "s" <- Snd "c";; Fst "c"
      | NONE => register "s"
      end in
    release (registry_lock "s");;
    "i".

  (** The end of an owner: its stripe, with what is in it, goes to the next. *)
  Definition hand_over : val := λ: "s" "i",
    acquire (registry_lock "s");;
    registry_free "s" <- SOME ("i", !(registry_free "s"));;
    release (registry_lock "s").

  (** ** Add *)

  Definition open_add : val := λ: "i",
    let: "idle" := !(stripe_seq "i") in
    assert: (is_odd "idle" = #false);;
    let: "open" := "idle" + #1 in
    stripe_seq "i" <- "open";;
    "open".

  Definition close_add : val := λ: "i" "open",
    stripe_seq "i" <- "open" + #1.

  (** One add of what [f] puts into the buffer. *)
  Definition update : val := λ: "i" "epoch" "f",
    let: "open" := open_add "i" in
    light_fence #();;
    let: "e" := !"epoch" in
    "f" (stripe_buffer "i" "e");;
    close_add "i" "open".

  Definition add : val := λ: "s" "i" "v",
    update "i" (stat_epoch "s") (λ: "buffer", A.(acc_record) "buffer" "v").

  Definition record_all : val := rec: "record_all" "buffer" "vs" :=
    match: "vs" with
      NONE => #()
    | SOME "c" => A.(acc_record) "buffer" (Fst "c");; "record_all" "buffer" (Snd "c")
    end.

  (** Samples that are added as one: no drain comes between them. *)
  Definition add_batch : val := λ: "s" "i" "vs",
    update "i" (stat_epoch "s") (λ: "buffer", record_all "buffer" "vs").

  (** ** Drain *)

  Definition wait_change : val := rec: "wait" "i" "seen" :=
    if: !(stripe_seq "i") = "seen" then "wait" "i" "seen" else #().

  Definition wait_out : val := λ: "i",
    let: "seen" := !(stripe_seq "i") in
    if: is_odd "seen" then wait_change "i" "seen" else #().

  Definition empty_into : val := λ: "i" "e" "batch",
    let: "buffer" := stripe_buffer "i" "e" in
    A.(acc_merge) "batch" "buffer";;
    A.(acc_clear) "buffer".

  Definition visit_stripes : val := rec: "visit" "next" "e" "batch" :=
    match: "next" with
      NONE => #()
    | SOME "c" =>
        wait_out (Fst "c");;
        empty_into (Fst "c") "e" "batch";;
        "visit" (Snd "c") "e" "batch"
    end.

  (** Only under the lock of the statistic. *)
  Definition take_batch : val := λ: "s",
    let: "e" := !(stat_epoch "s") in
    stat_epoch "s" <- "e" + #1;;
    heavy_fence #();;
    let: "batch" := A.(acc_new) #() in
    visit_stripes !(registry_stripes "s") "e" "batch";;
    "batch".

  Definition drain : val := λ: "s",
    acquire (stat_lock "s");;
    let: "summary" := A.(acc_read) (take_batch "s") in
    release (stat_lock "s");;
    "summary".
End code.
