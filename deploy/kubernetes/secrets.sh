#!/bin/sh
# Creates the Secrets of deploy/kubernetes: the token, certificates by role, users of Redis. The only other copy is in the folder
# SECRETS (default ./palimpsest-secrets, mode 0700): keep it, or delete it once drivers have their certificates.
#   sh deploy/kubernetes/secrets.sh [--print]     --print: writes the Secrets as YAML and changes no cluster
set -eu
namespace=palimpsest
folder=${SECRETS:-palimpsest-secrets}
palimpsest=${PALIMPSEST:-palimpsest}
umask 077
mkdir -p "$folder"
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
keep() { [ -s "$folder/$1" ] || printf '%s' "$2" >"$folder/$1"; }
keep token "$(random)"
keep redis-head "$(random)"
keep redis-queue "$(random)"
[ -d "$folder/certs/head" ] || $palimpsest certs init --dir "$folder/certs" >&2
head=$(cat "$folder/redis-head") queue=$(cat "$folder/redis-queue")
cat >"$folder/users.acl" <<ACL
user default off
user head on >$head ~* &* +@all
user queues on >$queue ~{palimpsest-* ~palimpsest:runs:* ~palimpsest:run-summaries:* &{palimpsest-* +@all -@admin -@dangerous -function -fcall -fcall_ro +info
ACL
printf 'redis://head:%s@palimpsest-redis:6379' "$head" >"$folder/head-url"
printf 'redis://queues:%s@palimpsest-redis:6379' "$queue" >"$folder/queue-url"
secret() {
  name=$1
  shift
  kubectl create secret generic "$name" --namespace "$namespace" --dry-run=client -o yaml "$@"
  echo ---
}
# A Secret has no folders, so files of a subfolder of a role's folder are named FOLDER.FILE.
certs() {
  files=$(cd "$folder/certs/$1" && ls ca.crt tls.crt tls.key */tls.crt */tls.key 2>/dev/null || true)
  set -- "$1" $(for file in $files; do echo "--from-file=$(echo "$file" | tr / .)=$folder/certs/$1/$file"; done)
  role=$1
  shift
  secret "palimpsest-tls-$role" "$@"
}
all() {
  secret palimpsest-token --from-file=token="$folder/token"
  secret palimpsest-redis-users --from-file="$folder/users.acl"
  secret palimpsest-redis-urls --from-file="$folder/head-url" --from-file="$folder/queue-url"
  certs head
  certs node
  certs reader
}
if [ "${1:-}" = --print ]; then
  all
else
  kubectl create namespace "$namespace" --dry-run=client -o yaml | kubectl apply -f - >&2
  all | kubectl apply -f -
fi
