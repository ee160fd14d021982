# Unpacks Go, Java, a headless browser and OpenSSL's headers into a folder, from Debian packages. Needs no root and changes
# nothing outside the folder. Sourced by tests/run.
# shellcheck shell=bash

debian_packages=(
  # Go: compiler, generators, libraries
  golang-go protoc-gen-go-1-5 protoc-gen-go-grpc golang-google-grpc-dev golang-google-protobuf-dev
  golang-google-genproto-dev golang-github-golang-protobuf-1-5-dev
  # Java: compiler, generators, libraries
  default-jdk-headless protobuf-compiler protobuf-compiler-grpc-java-plugin libgrpc-java libprotobuf-java
  libguava-java libnetty-java libperfmark-java libgoogle-gson-java libgeronimo-annotation-1.3-spec-java
  # A browser
  chromium-headless-shell
)

# debian_fetch FOLDER PACKAGE...: unpacks packages into FOLDER, with those dependencies that are not installed.
debian_fetch() {
  local folder=$1 stamp=$1/stamp
  shift
  [[ -f $stamp && $(cat "$stamp") == "$*" ]] && return
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    printf 'error: %s would come from Debian 12 or later (apt-get and dpkg), which this is not\n' "$1 and the like" >&2
    return 1
  fi
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/packages/archives/partial"
  local apt=(apt-get --quiet=2 -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/packages"
    -o Debug::NoLocking=true -o APT::Sandbox::User=)
  "${apt[@]}" update
  "${apt[@]}" install --yes --no-install-recommends --download-only "$@" >/dev/null
  local package
  for package in "$folder"/packages/archives/*.deb; do
    dpkg --extract "$package" "$folder"
  done
  # Absolute links, such as from a JDK to its configuration, are changed to point into the folder.
  local link target
  while IFS= read -r -d '' link; do
    target=$(readlink "$link")
    [[ ! -e $folder$target ]] || ln --symbolic --force --no-dereference "$folder$target" "$link"
  done < <(find "$folder" -type l -lname '/*' -print0)
  rm -rf "$folder/lists" "$folder/packages" "$folder/usr/share/doc"
  printf '%s' "$*" >"$stamp"
}

# debian_unpack FOLDER: unpacks the tools for the steps with Go, Java and a browser. If it fails, skip these steps with --only.
debian_unpack() {
  debian_fetch "$1" "${debian_packages[@]}"
}

# debian_openssl FOLDER: lets cargo find OpenSSL's headers in FOLDER, and its library in FOLDER or the system.
debian_openssl() {
  local folder=$1 lib
  debian_fetch "$folder" libssl-dev
  # Headers that depend on the architecture are in another folder; the compiler gets only one.
  cp "$folder"/usr/include/*-linux-gnu/openssl/*.h "$folder/usr/include/openssl/"
  lib=$(printf '%s\n' "$folder"/usr/lib/*-linux-gnu | head -n 1)
  # The link's target may be missing, because an installed package is not unpacked again.
  local name
  name=$(readlink "$lib/libcrypto.so")
  if [[ -e $lib/$name ]]; then
    export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  else
    name=$(ldconfig -p | awk -v name="${name##*/}" '$1 == name { print $NF; exit }')
    [[ -n $name ]] || return 1
    ln --symbolic --force --no-dereference "$name" "$lib/libcrypto.so"
  fi
  export OPENSSL_INCLUDE_DIR=$folder/usr/include OPENSSL_LIB_DIR=$lib
}

# debian_with FOLDER COMMAND...: runs a command with these tools and libraries in its paths.
debian_with() {
  local folder=$1
  shift
  local libraries
  libraries=$(printf '%s:' "$folder"/usr/lib/*-linux-gnu "$folder"/usr/lib/*-linux-gnu/pulseaudio)
  local jdk
  jdk=$(printf '%s:' "$folder"/usr/lib/jvm/*/bin)
  PATH=$folder/usr/bin:$PATH:$jdk LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:-} DEBIAN_FOLDER=$folder "$@"
}
