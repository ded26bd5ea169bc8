#!/usr/bin/env bash
# Builds what is released into dist/: for each platform an archive with the programs, the Debian
# packages, what is in them (SBOM) and the checksums. The version is the tag that is checked out.
# Twice from the same commit, it builds the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
VERSION=$(git describe --tags --exact-match 2>/dev/null || echo "0.0.0~$(git rev-parse --short HEAD)")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
VERSION=${VERSION#v}
export VERSION SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS=-trimpath
NFPM=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0
CYCLONEDX=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
rm -rf dist && mkdir dist

for platform in ${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}; do
	export ARCH=${platform#*/}
	name=lineclear_${VERSION}_${platform%/*}_$ARCH
	export BUILT=dist/$name
	mkdir "$BUILT"
	GOOS=${platform%/*} GOARCH=$ARCH go build -buildvcs=true -ldflags='-s -w' -o "$BUILT/" ./cmd/gateway ./cmd/auditverify
	cp -r LICENSE README.md CHANGELOG.md deploy/compose deploy/grafana deploy/prometheus "$BUILT/"
	install -D -m 644 -t "$BUILT/systemd" deploy/systemd/lineclear.service deploy/systemd/agents.yaml
	chmod -R u+rwX,go=rX "$BUILT"
	find "$BUILT" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
	case $platform in
	linux/*) go run "$NFPM" package --config deploy/systemd/nfpm.yaml --packager deb --target dist/ ;;
	darwin/*) echo "Built, not tested: nobody has run this on macOS yet." >"$BUILT/NOT-TESTED.txt" ;;
	esac
	tar --directory dist --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -c "$name" | gzip -n -9 >"dist/$name.tar.gz"
	rm -r "$BUILT"
done

# Both say when they were made and by a number of their own, which is left out.
same() { node -e 'const s = JSON.parse(require("fs").readFileSync(0)); delete s.serialNumber; delete s.metadata.timestamp; console.log(JSON.stringify(s, null, 1))'; }
go run "$CYCLONEDX" app -json -licenses -noserial -main cmd/gateway . | same >dist/gateway.cdx.json
(cd web && npm sbom --sbom-format cyclonedx --omit dev) | same >dist/dashboard.cdx.json
cd dist && sha256sum -- * >SHA256SUMS && cat SHA256SUMS
