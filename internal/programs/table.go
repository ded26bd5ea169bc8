package programs

// passedOn are options behind -- that a program may pass on to what it runs, such as a project's tests.
const passedOn = " --run --coverage --silent --verbose --bail --ci --color --no-color --runInBand --watch=false --watchAll=false --no-watch --passWithNoTests --nocapture -v -q "

// table says of programs what their arguments are, and which options they may have without
// doing more than that. An option that is not here is one of which nothing is known.
//
// A line has names, operands and options, with | between them, and commas between names. A name may be several
// words: a program and its subcommand. The longest that fits counts.
//
// Operands, in their order; ... after one: any number of it, ?: none or one, =TEXT: that, where none is given:
//
//	text   nothing on the disk
//	read   a file that is read
//	local  the same, but with a colon in its name it is on another host
//	tree   a folder that is read with all below it
//	shown  a folder that is read recursively, without names that begin with a dot
//	list   a file or folder of which only the name and such are read
//	write  a file that is written, or a folder to write to
//	make   a file or folder that is made if it is not there
//	drop   a file or folder that is deleted, moved away or changed
//	dir    a folder in which it works
//	url    a URL of http, or a host
//	header data: text, or after @ a file that is read
//	format text without anything that names a file
//	remote a name of a remote or a branch, and no address
//	target a text without =
//	plus   a format that begins with +
//	code   code, or a program that is run, which no pattern covers by a star
//
// Options: -x alone; -x:KIND with a value of a kind (-x: for text), in the same word or the next; --x= with a text in the
// same word or none; -# a number. A > after an option makes operands of another kind: -r>tree what was read, -i>write what was
// read, --check>read what was written. A ! after it: there is no first operand then. "single" before them: long options have one dash.
const table = `
cat, tac, nl | read... | -A -b -e -E -n -s -t -T -u -v --number --show-all
head | read... | -n: -c: -q -v -z -# --lines: --bytes: --quiet
tail | read... | -n: -c: -q -v -z -f -F -# --lines: --bytes: --follow= --retry --quiet --pid: -s:
wc | read... | -l -w -c -m -L --lines --words --bytes --chars --max-line-length
sort | read... | -n -r -u -k: -t: -h -V -f -b -s -z -c -C -g -M -R -d -i -o:write --reverse --unique --key: --numeric-sort --output:write --version-sort
uniq | read? write? | -c -d -u -i -z -D -f: -s: -w: --count --repeated --unique
cut | read... | -d: -f: -c: -b: -s -z --complement --output-delimiter: --delimiter: --fields:
paste | read... | -d: -s -z
column | read... | -t -s: -n -x -c: -N: -o:
tr | text... | -d -s -c -C -t
xxd | read write? | single -l: -s: -c: -g: -u -p -ps -b -i -e
rev | read... |
fold | read... | -w: -s -b
fmt | read... | -w: -s -u -c -t
expand | read... | -t: -i
unexpand | read... | -t: -a
od | read... | -A: -t: -N: -j: -v -a -b -c -d -o -x
hexdump | read... | -C -b -c -d -o -x -v -n: -s:
strings | read... | -n: -t: -a -f -w
comm, join | read read | -1 -2 -3 -i -t: -j: -z
cmp | read read | -s -l -b -n: -i:
diff | tree tree | -u -U: -c -C: -q -N -w -b -B -i -y -a -s -p -I: -W: --color= --brief --unified= --ignore-all-space --side-by-side --suppress-common-lines
md5sum, sha1sum, sha256sum, sha512sum, b2sum, cksum | read... | -b -t -z --tag
base64 | read? | -d -w: -i --decode --wrap:
ls, dir | list... | -a -A -l -h -t -r -S -R -1 -d -F -G -i -n -p -s -u -c -x -C -g -o -q -Q -X -v -U -Z --color= --all --almost-all --human-readable --group-directories-first --sort: --time: --time-style: --full-time --recursive --directory --classify= --size --reverse --inode
stat | list... | -c: -f -L -t --format: --printf:
file | read... | -b -i -L -k -z --brief --mime --mime-type
du | list... | -a -c -h -s -k -m -b -x -L -d: -S -0 --max-depth: --summarize --human-readable --total --apparent-size --exclude:
df | list... | -h -k -m -T -a -i -l -P --human-readable
tree | list... | -a -d -f -i -L: -I: -P: -h -s -D -F -C -n -r -t --dirsfirst --noreport --gitignore --prune --du
echo | text... | -n -e -E
printf, test, [, true, false, :, exit, break, continue, wait, type, command | text... | -v -V
basename | text... | -a -s: -z
dirname | text... | -z
realpath, readlink | list... | -f -e -m -n -q -s -z -L -P --relative-to:list
which | text... | -a -s
pwd | | -L -P
grep, egrep, fgrep | text read... | -r>tree -n -i -v -w -x -c -l -L -o -q -s -h -H -E -F -P -G -a -I -z -b -T -U -Z -e:! -f:read! -A: -B: -C: -m: -# --include: --exclude: --exclude-dir: --color= --colour= --recursive>tree --line-number --ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --no-filename --with-filename --extended-regexp --fixed-strings --perl-regexp --context: --after-context: --before-context: --max-count: --regexp:! --text --null --binary-files: --label:
rg | text shown...=. | -e:! -f:read! -g: -t: -T: -A: -B: -C: -m: -d: -M: -n -N -i -S -s -v -w -x -c -l -o -q -F -P -U -H -I -0 -a -u>tree -p --files! --glob: --iglob: --type: --type-not: --context: --after-context: --before-context: --max-count: --max-depth: --hidden>tree --no-ignore --no-heading --heading --json --sort: --sortr: --color: --line-number --no-line-number --ignore-case --smart-case --case-sensitive --word-regexp --count --count-matches --files-with-matches --files-without-match --only-matching --fixed-strings --multiline --pcre2 --trim --stats --vimgrep --column --no-messages --no-filename --with-filename --regexp:! --replace: -r:
find | list...=. | single -name: -iname: -path: -ipath: -wholename: -regex: -iregex: -regextype: -type: -xtype: -size: -mtime: -mmin: -atime: -amin: -ctime: -cmin: -newer:list -newermt: -maxdepth: -mindepth: -perm: -user: -group: -links: -inum: -empty -readable -writable -executable -nouser -nogroup -not -a -and -o -or -print -print0 -printf: -ls -prune -quit -true -false -depth -mount -xdev -daystart -P
sed | text read... | -n -E -r -s -u -z -e:! -i>write --quiet --silent --regexp-extended --expression:! --in-place>write --separate --null-data --posix
awk, gawk, mawk | text read... | -F: -v: --field-separator:
jq | text read... | -r -c -n -S -e -a -j -s -R -M -C --raw-output --compact-output --null-input --sort-keys --exit-status --ascii-output --join-output --slurp --raw-input --monochrome-output --color-output --tab --indent:
date | plus? | -u -d: -R -I --utc --date: --iso-8601= --rfc-3339: --rfc-email
uname | | -a -s -n -r -v -m -p -i -o --all
id, groups | text... | -u -g -G -n -r
whoami, hostname, nproc, uptime, free, arch, tty, cal, locale | | -s -h -m -k -b -f -i -I -p --all
ps | text... | -e -f -a -x -u: -p: -o: -C: -l -A -H -L -T -w --sort: --no-headers --forest --pid: --ppid:
pgrep | text | -f -l -a -u: -x -n -o -c -i
seq | text... | -s: -w -f:
sleep | text... |
lsof, ss, netstat | text... | -i= -n -P -t -l -p -a -u
mkdir | make... | -p -m: -v --parents --mode: --verbose
touch | make... | -a -c -m -d: -t: -r:list --no-create --date: --reference:list
mktemp | make? | -d -u -t
cp | read... write | -r>tree -R>tree -a>tree -p -v -f -n -u -T -P -d --recursive>tree --archive>tree --preserve= --verbose --force --no-clobber --update= --parents
mv | drop... write | -v -f -n -u -T --verbose --force --no-clobber --update=
ln | list write=. | -s -f -n -v -T -r --symbolic --force --no-dereference --relative
rm | drop... | -r -R -f -v -d -I --recursive --force --verbose --dir
rmdir, unlink, shred | drop... | -p -v -f -u -z -n:
tee | write... | -a -i --append
truncate | write... | -s: -c --size:
chmod, chown, chgrp | text drop... | -R -v -f -c -h --recursive --verbose --reference:list!
install | read... write | -d>make -m: -D -v -o: -g:
gzip, gunzip, bzip2, bunzip2, xz, unxz, zstd, unzstd | drop... | -d -k -f -v -q -r -t -l -c -1 -9 --keep --force --decompress --test --list --stdout
zcat, bzcat, xzcat, zstdcat, zless, zmore | read... |
tar, 7z, 7za, ar, cpio, pax, zip, unzip | code... |
tar tf, tar tzf, tar tvf, tar tzvf, tar -tf, tar -tzf, tar -tvf, tar -tzvf, tar -tjf | local text... |
unzip -l, unzip -t | read text... | -v -q

git status | read... | -s -b -u= -v -z --short --branch --porcelain= --long --verbose --ignored= --untracked-files= --show-stash --ahead-behind --no-renames
git diff | read... | --output:write -p -u -s -U= -w -b -a -z -M= -C= -R -S: -G: -O:read --stat= --shortstat --numstat --name-only --name-status --summary --cached --staged --color= --no-color --word-diff= --diff-filter: --unified= --ignore-all-space --ignore-space-change --ignore-blank-lines --minimal --patience --histogram --no-renames --find-renames= --check --exit-code --quiet --merge-base --relative= --binary --no-ext-diff --no-textconv --compact-summary --dirstat= --raw --patch --no-patch --function-context -W
git log | read... | --output:write -p -n: -# -s -i -E -F -P -S: -G: -L: -z -M= --oneline --graph --all --decorate= --no-decorate --stat= --shortstat --numstat --name-only --name-status --patch --no-patch --pretty= --format: --abbrev-commit --abbrev= --date: --since: --until: --after: --before: --author: --committer: --grep: --all-match --no-merges --merges --first-parent --reverse --follow --max-count: --skip: --branches= --tags= --remotes= --left-right --cherry-pick --cherry --color= --no-color --diff-filter: --topo-order --date-order --author-date-order --full-history --simplify-by-decoration --show-signature --no-ext-diff --not --ancestry-path= --boundary --cc -c --raw --summary --relative-date
git show | read... | --output:write -p -s -q -# -U= -w -b -z --stat= --shortstat --numstat --name-only --name-status --oneline --pretty= --format: --abbrev-commit --no-patch --patch --color= --no-color --summary --raw --diff-filter: --word-diff= --no-ext-diff --date:
git blame | read... | -L: -w -M -C -s -e -l -t -n -f --date: --porcelain --line-porcelain --show-email
git ls-files | read... | -c -d -m -o -i -s -u -k -t -v -z -x: --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard --exclude: --full-name --error-unmatch
git ls-tree, git cat-file, git rev-parse, git rev-list, git name-rev, git describe, git merge-base, git shortlog, git show-ref, git for-each-ref, git count-objects, git var, git check-ignore, git diff-tree, git whatchanged, git reflog show, git version | read... | -r -t -d -l -z -p -e -s -n -v -q -e -c -# --name-only --name-status --full-name --full-tree --short= --abbrev-ref= --verify --quiet --show-toplevel --show-prefix --git-dir --is-inside-work-tree --symbolic-full-name --all --branches --tags --always --dirty= --long --abbrev= --exact-match --contains= --count --max-count: --left-right --no-merges --heads --refs --symref --format: --sort: --points-at= --merged= --no-merged= --oneline --pretty= --is-ancestor --fork-point --octopus --numbered --summary --email --date: --since: --until: --human-readable --verbose
git branch | text... | -a -r -v -vv -l -q --list --all --remotes --verbose --show-current --contains= --no-contains= --merged= --no-merged= --sort: --format: --color= --no-color --column= --points-at:
git tag | text... | -l -n= --list= --contains= --merged= --no-merged= --sort: --format: --points-at=
git remote | text... | -v --verbose
git stash list, git stash show | text... | -p --stat= --oneline --name-only --name-status -# -n:
git config --get, git config --list, git config -l | text... |
git grep | text tree...=. | -n -i -l -c -w -E -F -P -v -h -e:! -A: -B: -C: --line-number --ignore-case --count --files-with-matches --name-only --word-regexp --color= --no-color --cached --untracked --heading --break
git add | read... | -A -u -v -n -f -N --all --update --verbose --dry-run --intent-to-add --renormalize
git commit | read... | -m: -a -v -q -s -S= --message: --all --amend --no-edit --allow-empty --signoff --verbose --quiet --no-verify -n --author: --date: --fixup: --squash: -F:read --file:read --dry-run
git checkout, git switch, git rebase | text... | -b -c -q -v -m --quiet --verbose --ff-only --no-ff --abort --continue --create --detach --track= --onto:
git merge, git cherry-pick, git revert, git stash push | text... | -q -v -m: -u --quiet --verbose --no-edit --ff-only --no-ff --abort --continue --squash --include-untracked --no-commit
git ls-remote | remote text... | --heads --tags --refs --symref -q --quiet --exit-code
git init | write?=. | -q --quiet
git stash, git stash pop, git worktree list | text... | -q -v -u --quiet --verbose --include-untracked
git restore, git rm, git clean, git reset, git mv | drop... | -q -v -n -r -f -d -S -W --staged --worktree --cached --soft --mixed --dry-run --quiet
git fetch, git pull, git push | remote... | -q -v -p -n -u -t --all --prune --tags --dry-run --quiet --verbose --set-upstream --rebase= --no-rebase --ff-only --follow-tags --depth: --unshallow
git clone, git apply, git am, git submodule, git bisect, git gc, git worktree, git config, git remote add, git filter-branch, git difftool, git mergetool | code... |

go version, go env | text... | single -json -m
go list | list... | single -f: -json= -m -deps -test -e -find -export -compiled -u -versions -mod: -tags:
go doc | list... | single -all -c -cmd -short -src -u
go vet, go build, go test | list... | single -v -x -n -a -race -cover -short -json -failfast -i -p: -run: -skip: -bench: -benchmem -benchtime: -count: -cpu: -parallel: -timeout: -list: -shuffle: -tags: -mod: -trimpath -covermode: -coverpkg: -coverprofile:write -o:write -cpuprofile:write -memprofile:write -outputdir:write -vet: -buildvcs= -msan -asan -work -rapid.checks= -update
go fmt | drop... | single -n -x
go mod tidy, go mod download, go mod verify, go mod graph, go mod why | text... | single -n -x -v -m
go run, go install, go generate, go get, go work, go tool | code... | single
gofmt | read... | single -l -d -e -s -w>write
golangci-lint run, staticcheck | tree...=. | --timeout: --fast -v
npm test, npm t, npm run, npm run-script, npm start, npm ls, npm list, npm view, npm outdated, npm ci, npm audit, npm --version, npm -v, node --version, node -v | list... | -s --silent --if-present -w:dir --workspace:dir --workspaces -ws --depth: --json --all --long --production --omit: --prod --legacy-peer-deps --no-audit --no-fund --save-dev -D --save-exact
npm install, npm i, npm exec, pnpm install, pnpm add, pnpm dlx, yarn add, yarn dlx, bun install, bun add, npx, bunx, pip install, pip3 install | code... |
pnpm test, pnpm run, pnpm build, pnpm lint, yarn test, yarn run, yarn build, yarn lint, bun test, bun run | list... | -s --silent --if-present --frozen-lockfile -r --recursive
npx tsc, tsc | read... | -p:read --noEmit --project:read --pretty= --skipLibCheck --watch -w --build -b --strict --version -v --noEmitOnError --incremental
npx eslint, eslint | read... | --ext: --quiet --max-warnings: --no-error-on-unmatched-pattern --color --no-color --cache --fix>write --version -v
npx prettier, prettier | read... | --check -c -l --list-different --write>write -w>write --log-level: --ignore-unknown -u --no-color --version
npx vitest, vitest, npx jest, jest | list... | -t: --run --watch= --coverage= --silent --verbose --bail= --changed= --testNamePattern: --testPathPattern: --passWithNoTests --ci --no-color --no-cache -i --runInBand -u --update --maxWorkers: --version
cargo fmt | write?=. | --all --check>read -q -v --quiet --verbose
cargo test, cargo build, cargo check, cargo clippy, cargo doc, cargo tree, cargo metadata, cargo run, cargo bench, cargo --version | text... | -p: -q -v -j: -F: --package: --workspace --all --all-targets --all-features --no-default-features --features: --release --lib --bins --bin: --test: --tests --example: --examples --bench: --quiet --verbose --locked --offline --frozen --jobs: --message-format: --profile: --no-run --no-fail-fast --doc --check --no-deps --open --edges: -e: --invert= -i= --depth: -d --duplicates --color:
rustc --version, rustup show | text... | -v -V
pytest, python -m pytest, python3 -m pytest | list... | -x -q -v -vv -s -l -k: -m: -n: -r: --tb: --maxfail: --lf --ff --last-failed --failed-first --no-header --no-summary --collect-only --co --durations: --cov= --color: --quiet --verbose --exitfirst --showlocals --capture: --timeout: --disable-warnings --strict-markers
python -m unittest, python3 -m unittest | list... | -v -q -f -b -k:
python -m json.tool, python3 -m json.tool | read? write? | --indent: --sort-keys --compact --no-ensure-ascii --json-lines
python --version, python3 --version, python -V, python3 -V, pip list, pip show, pip freeze, pip3 list, pip3 show, pip --version | text... | -v --outdated --format:
ruff format, black | write...=. | --check>read --diff>read --quiet -q --line-length: -l: -S
ruff check, flake8, mypy, pylint | read... | --check --diff --quiet -q --fix>write --select: --ignore: --statistics --strict --show-error-codes --no-color-output --line-length: -l: -S
make, gmake | target... | -n -s -k -B -j= -# --dry-run --silent --keep-going --always-make --jobs= --no-print-directory -w -C:dir --directory:dir -l= -O= --output-sync=
cmake --build, ctest | dir... | -j: --parallel= --target: --config: --verbose -R: -E: -L: -V --output-on-failure -C: --clean-first

docker ps, docker images, docker version, docker info, docker container ls, docker image ls, docker volume ls, docker network ls, docker stats, docker top, docker port, docker history | text... | -a -q -n: -l -s -f: --all --quiet --filter: --format: --no-trunc --last: --latest --size --no-stream
docker logs, docker inspect, docker container logs, docker events, docker diff | text... | -f -t -n: --follow --tail: --since: --until: --timestamps --details --format: --type: -s --size
docker compose ps, docker compose logs, docker compose config, docker compose images, docker compose top, docker compose ls, docker-compose ps, docker-compose logs | text... | -a -q -f -t -n: --all --quiet --follow --tail: --since: --until: --timestamps --no-color --no-log-prefix --format: --services --status: --filter:
kubectl logs | text... | -n: -c: -p -f -l: --namespace: --selector: --container: --previous --follow --tail: --since: --timestamps --all-containers --prefix --limit-bytes: --max-log-requests: --context:
kubectl get, kubectl describe, kubectl top, kubectl version, kubectl explain, kubectl api-resources, kubectl cluster-info, kubectl rollout status, kubectl rollout history, kubectl auth can-i | text... | -n: -A -o:format -l: -w --namespace: --all-namespaces --output:format --selector: --watch --show-labels --sort-by: --field-selector: --no-headers --show-managed-fields --recursive --wide --context: --client
terraform fmt | write...=. | single -no-color -check>read -diff -recursive -write=
terraform show | read? | single -no-color -json
terraform plan, terraform validate, terraform version, terraform output | text... | single -no-color -json -check -diff -recursive -compact-warnings -input= -lock= -detailed-exitcode
gh pr view, gh pr list, gh pr diff, gh pr checks, gh pr status, gh issue view, gh issue list, gh run view, gh run list, gh repo view, gh release list, gh auth status | text... | -R: -s: -L: -l: -a: -A: -S: -B: -c --repo: --state: --limit: --label: --json: --jq: -q: --comments --log --log-failed --job: --name-only --web= --author: --search:
systemctl status, systemctl list-units, systemctl is-active, systemctl show, journalctl | text... | -u: -n: -f -b= -e -x -r -o: -p: -k --no-pager --since: --until: --user --all -a --type: --state: -l --output: --lines: --unit:

curl | url... | -s -S -f -L -i -I -v -k -g -G -4 -6 -# -X: -H:header -A: -e: -m: -u: -o:write -w:format -d:data --silent --show-error --fail --fail-with-body --location --include --head --verbose --insecure --compressed --request: --header:header --user-agent: --max-time: --connect-timeout: --retry: --retry-delay: --retry-all-errors --output:write --write-out:format --data:data --data-raw: --json:data --url:url --http1.1 --http2 --no-progress-meter --range: -r:
ping, ping6 | url | -c: -w: -W: -i: -q -n -4 -6 -s:
dig, host, nslookup | url... | -t: -x: -4 -6
ssh, scp, sftp, rsync, wget | code... |
sh, bash, dash, zsh, ksh, ash, fish, python, python2, python3, node, deno, bun, perl, ruby, php, lua, tclsh, Rscript, osascript, pwsh, java | code text... |
`
