(** The striped statistic, in HeapLang.

    This is the protocol of [src/striped.rs], statement by statement; README.md
    holds the map.  It is generic over the accumulator, which is any object with
    the four operations of [acc_code]. *)
From iris.heap_lang Require Import lang notation.
From iris.heap_lang.lib Require Import spin_lock.
From iris.prelude Require Import options.

(** The operations of an accumulator.  An accumulator is a mutable object of as
    many words as it likes: none of its operations needs to be atomic. *)
Record acc_code := AccCode {
  acc_new : val;     (* [acc_new #()]: a fresh accumulator, empty *)
  acc_record : val;  (* [acc_record l v]: add the sample [v] to [l] *)
  acc_merge : val;   (* [acc_merge t l]: move all of [l] into [t]; [l] is empty after *)
  acc_read : val;    (* [acc_read l]: the summary held by [l], as a value *)
}.

(** ** Shape of the objects

    A statistic is [((lock, epoch), (registry lock, (stripes, free)))].
    A stripe is [(seq, (buffer 0, buffer 1))]. *)
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

Section code.
  Context (A : acc_code).

  Definition new_stat : val := λ: <>,
    let: "epoch" := ref #0 in
    let: "stripes" := ref NONE in
    let: "free" := ref NONE in
    let: "lk" := newlock #() in
    let: "reg" := newlock #() in
    (("lk", "epoch"), ("reg", ("stripes", "free"))).

  (** ** Registration *)

  Definition new_stripe : val := λ: <>,
    let: "b0" := A.(acc_new) #() in
    let: "b1" := A.(acc_new) #() in
    (ref #0, ("b0", "b1")).

  (** A free stripe if there is one, a new one at the head of the list if not. *)
  Definition lease : val := λ: "s",
    acquire (registry_lock "s");;
    let: "i" :=
      match: !(registry_free "s") with
        SOME "c" => registry_free "s" <- Snd "c";; Fst "c"
      | NONE =>
          let: "i" := new_stripe #() in
          registry_stripes "s" <- SOME ("i", !(registry_stripes "s"));;
          "i"
      end in
    release (registry_lock "s");;
    "i".

  (** The end of a recorder: its stripe, with what is in it, goes to the next. *)
  Definition hand_over : val := λ: "s" "i",
    acquire (registry_lock "s");;
    registry_free "s" <- SOME ("i", !(registry_free "s"));;
    release (registry_lock "s").

  (** ** Add *)

  Definition add : val := λ: "s" "i" "v",
    let: "q" := !(stripe_seq "i") in
    stripe_seq "i" <- "q" + #1;;
    let: "e" := !(stat_epoch "s") in
    A.(acc_record) (stripe_buffer "i" "e") "v";;
    stripe_seq "i" <- "q" + #2.

  (** ** Drain *)

  Definition wait_change : val := rec: "wait" "i" "q" :=
    if: !(stripe_seq "i") = "q" then "wait" "i" "q" else #().

  Definition wait_out : val := λ: "i",
    let: "q" := !(stripe_seq "i") in
    if: is_odd "q" then wait_change "i" "q" else #().

  Definition empty_into : val := λ: "i" "e" "t",
    A.(acc_merge) "t" (stripe_buffer "i" "e").

  Definition collect : val := rec: "collect" "l" "e" "t" :=
    match: "l" with
      NONE => #()
    | SOME "c" =>
        wait_out (Fst "c");;
        empty_into (Fst "c") "e" "t";;
        "collect" (Snd "c") "e" "t"
    end.

  Definition drain : val := λ: "s",
    let: "t" := A.(acc_new) #() in
    acquire (stat_lock "s");;
    let: "e" := !(stat_epoch "s") in
    stat_epoch "s" <- "e" + #1;;
    collect !(registry_stripes "s") "e" "t";;
    release (stat_lock "s");;
    A.(acc_read) "t".
End code.
