# Go, Java's stubs and a headless browser as Debian packages them, unpacked into a folder: needs no root and changes
# nothing outside of it. Sourced by tests/run.
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

# debian_unpack FOLDER: fetches those packages, and what they need that the system has not, into FOLDER.
debian_unpack() {
  local folder=$1 stamp=$1/stamp
  [[ -f $stamp && $(cat "$stamp") == "${debian_packages[*]}" ]] && return
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    echo "error: this step takes Go, Java and Chromium from Debian 12 or later (apt-get and dpkg); leave it out with --only" >&2
    return 1
  fi
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/packages/archives/partial"
  local apt=(apt-get --quiet=2 -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/packages"
    -o Debug::NoLocking=true -o APT::Sandbox::User=)
  "${apt[@]}" update
  "${apt[@]}" install --yes --no-install-recommends --download-only "${debian_packages[@]}" >/dev/null
  local package
  for package in "$folder"/packages/archives/*.deb; do
    dpkg --extract "$package" "$folder"
  done
  # Links into the system's root, such as from a JDK to its configuration, stay inside of the folder.
  local link target
  while IFS= read -r -d '' link; do
    target=$(readlink "$link")
    [[ ! -e $folder$target ]] || ln --symbolic --force --no-dereference "$folder$target" "$link"
  done < <(find "$folder" -type l -lname '/*' -print0)
  rm -rf "$folder/lists" "$folder/packages" "$folder/usr/share/doc"
  printf '%s' "${debian_packages[*]}" >"$stamp"
}

# debian_with FOLDER COMMAND...: runs a command that finds those tools and libraries.
debian_with() {
  local folder=$1
  shift
  local libraries
  libraries=$(printf '%s:' "$folder"/usr/lib/*-linux-gnu "$folder"/usr/lib/*-linux-gnu/pulseaudio)
  local jdk
  jdk=$(printf '%s:' "$folder"/usr/lib/jvm/*/bin)
  PATH=$folder/usr/bin:$PATH:$jdk LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:-} DEBIAN_FOLDER=$folder "$@"
}
