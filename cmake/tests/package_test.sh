#!/usr/bin/env bash
# Installs the build into a folder with a space in its name, moves it, and checks that it is whole there:
# it needs no library that another machine may lack, names no path of this one, runs, and lets a project
# that has only the package build a plugin that the program loads and verifies.
#
# Usage: package_test.sh SOURCE_DIR BUILD_DIR CMAKE
set -euo pipefail

readonly source=$1 build=$2 cmake=$3
readonly kAllowed='^(libc|libm|libstdc\+\+|libgcc_s|libcudart|libnvrtc|ld-linux-x86-64)\.so'
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
readonly work prefix="$work/moved here"
export MSDA_CACHE_DIR=$work/cache
unset MSDA_PLUGIN_PATH

fail() {
  printf 'package_test: %s\n' "$*" >&2
  exit 1
}

# The NEEDED entries of an ELF file that another machine may lack.
foreign_libraries() {
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -E "$kAllowed" || true
}

check_binary() {
  local file=$1 foreign path
  foreign=$(foreign_libraries "$file")
  [[ -z $foreign ]] || fail "$file needs ${foreign//$'\n'/, }"
  for path in "$source" "$build"; do
    if grep -q -a -F -- "$path" "$file"; then fail "$file holds the path $path"; fi
  done
}

check_exports() {
  local symbols
  symbols=$(readelf --dyn-syms -W "$1" |
    awk '$5 == "GLOBAL" && $7 != "UND" && $6 == "DEFAULT" { print $8 }')
  [[ $symbols == msda_plugin_manifest ]] || fail "$1 exports: $symbols"
}

"$cmake" --install "$build" --prefix "$work/first place" --strip >"$work/install.log"
mv -- "$work/first place" "$prefix"

readonly msda=$prefix/bin/msda
check_binary "$msda"
run_path=$(readelf -d "$msda" | sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p')
# shellcheck disable=SC2016 # the literal text that the loader expands
[[ $run_path == '$ORIGIN/'*:/usr/local/cuda/* ]] || fail "bin/msda has the run path '$run_path'"
for plugin in "$prefix"/lib/msda/variants/*.so; do
  check_binary "$plugin"
  check_exports "$plugin"
done
for file in include/msda/plugin.hpp share/man/man1/msda.1 share/msda/device share/msda/experiments/quickstart.yaml \
  share/msda/experiments/inputs/captured_decoder/value.npy share/doc/msda/README.md share/doc/msda/LICENSE share/doc/msda/NOTICE; do
  [[ -e $prefix/$file ]] || fail "$file is not in the package"
done

empty=$(find "$prefix" -type d -empty)
[[ -z $empty ]] || fail "the package has empty folders: $empty"
[[ -e $prefix/share/doc/msda/docs/exercises/plugin.cpp ]] || fail "the exercises are not in the package"

# The Debian package holds the same, under /usr.
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/debian" >"$work/debian.log" 2>&1 || {
  cat -- "$work/debian.log" >&2
  fail "CPack makes no Debian package"
}
if [[ -n $(command -v dpkg-deb) ]]; then
  dpkg-deb --contents "$work"/debian/*.deb >"$work/contents"
  for file in bin/msda lib/msda/variants/cpu-scalar.so include/msda/plugin.hpp share/doc/msda/LICENSE; do
    grep -q -F " ./usr/$file" "$work/contents" || fail "$file is not in the Debian package"
  done
fi

cd -- "$work"
"$msda" list --json >list.json
grep -q '"cpu-scalar"' list.json || fail "the moved program does not find its plugins"

# A plugin of somebody else: as new-variant writes it, with nothing of MSDA Lab but the package.
"$msda" new-variant third-party --kernel cpu --output "$work/third party" >new.log
"$cmake" -S "$work/third party" -B plugin -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_INSTALL_PREFIX="$prefix" >plugin.log
"$cmake" --build plugin >>plugin.log
check_exports plugin/lib/msda/variants/third-party.so
ctest --test-dir plugin --output-on-failure >>plugin.log || fail "its test fails: $(<plugin.log)"

# As documented, without a build type, it is optimized all the same.
"$msda" show third-party --plugin-dir plugin/lib/msda/variants >shown
if grep -q 'without optimization' shown; then fail "the plugin is not optimized"; fi

# Installed beside the others, it is found without being pointed at.
"$cmake" --install plugin >>plugin.log
"$msda" list --json >list.json
grep -q '"third-party"' list.json || fail "the installed plugin is not found"
echo "package_test: all is well"
