#!/bin/sh
# Installs what `make -C proofs` needs where it is missing: Coq, Iris with
# HeapLang (std++ comes along), make, python3. Debian 12 or newer.
set -eu

has_iris() {
    [ -e "$(coqc -where)/user-contrib/iris/heap_lang/lang.vo" ]
}

if command -v coqc >/dev/null && has_iris && command -v make >/dev/null &&
    command -v python3 >/dev/null; then
    echo "proofs: $(coqc --print-version | cut -d' ' -f1) of Coq, with Iris, is here"
    exit 0
fi
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
    coq libcoq-iris make python3
