#!/bin/sh
# Packs what the benches of this folder need for a machine without a network: the checkout of HEAD, its built files and
# its packages, without what only development needs. More files go along by name.
# usage: bench/gpu/pack.sh FOLDER [MEGABYTES] [FILE_OR_FOLDER...]
#   writes FOLDER/part.000 …, of at most MEGABYTES (default 37) each, and FOLDER/unpack.sh
# There: sh unpack.sh PLACE, beside all parts; it wants zstd, or node 22.15 or later, and checks the whole.
set -eu
cd "$(dirname "$0")/../.."
out=$1
megabytes=${2:-37}
[ $# -gt 2 ] && shift 2 || shift $#
[ -z "$(git status --porcelain)" ] || { echo "pack.sh: commit first: HEAD is packed" >&2; exit 1; }
rm -rf "$out" && mkdir -p "$out"
{
  git ls-files
  git ls-files --others --ignored --exclude-standard --directory | grep -v node_modules | grep -v '^\.gpu'
  find . -name node_modules -prune -not -path './node_modules/*' | sed 's|^\./||'
} >"$out/names"
# Vitest stays, because benches of weights import it.
tar --create --file - \
  --exclude='*.map' --exclude='*.d.ts' --exclude='*.d.mts' --exclude='*.d.cts' --exclude='*.tsbuildinfo' \
  --exclude='node_modules/.pnpm/@biomejs*' --exclude='node_modules/.pnpm/typescript@*' --exclude='node_modules/.pnpm/@typescript*' \
  --exclude='node_modules/.pnpm/playwright*' --exclude='node_modules/.pnpm/@grafana*' --exclude='node_modules/.pnpm/lightningcss*' \
  --exclude='node_modules/.pnpm/rolldown*' --exclude='node_modules/.pnpm/@rolldown*' --exclude='node_modules/.pnpm/knip*' \
  --exclude='node_modules/.pnpm/@oxc*' --exclude='node_modules/.pnpm/oxc*' --exclude='node_modules/.pnpm/axe-core*' \
  --exclude='*/es2017' --exclude='*.fesm.js' --exclude='tf*.min.js' \
  --files-from "$out/names" "$@" |
  zstd -9 -T0 -q -o "$out/all.tar.zst"
rm "$out/names"
sum=$(sha256sum "$out/all.tar.zst" | cut -d' ' -f1)
split -b "${megabytes}m" -d -a 3 "$out/all.tar.zst" "$out/part."
rm "$out/all.tar.zst"
cat >"$out/unpack.sh" <<END
#!/bin/sh
set -eu
cd "\$(dirname "\$0")"
cat part.[0-9]* >all.tar.zst
echo "$sum  all.tar.zst" | sha256sum --check --quiet
mkdir -p "\$1"
if command -v zstd >/dev/null; then zstd -dcq all.tar.zst; else node -e '
  require("node:fs").createReadStream("all.tar.zst").pipe(require("node:zlib").createZstdDecompress()).pipe(process.stdout)'; fi |
  tar --extract --file - --directory "\$1"
rm all.tar.zst
echo "unpacked $(git rev-parse --short HEAD)"
END
du -sh "$out" && ls "$out" | wc -l
