package plain

import "strings"

// harmlessName reports whether a variable may be set in a plain line: no shell and no
// program looks anything up by it, or finds code by it.
func harmlessName(name string) bool {
	if len(name) == 1 {
		return name >= "a" && name <= "z"
	}
	return strings.Contains(" "+harmlessNames+" ", " "+name+" ") && !strings.Contains(name, " ")
}

// harmlessNames are those of loops and scripts, and settings that programs take as data.
const harmlessNames = "file files dir folder name names item items line lines test tests pkg port url num count version branch tag out output result tmp msg " +
	"message key val value user host target base src dst arg word text today start end size " +
	"NODE_ENV PORT HOST DEBUG CI LOG_LEVEL LOGLEVEL VERBOSE APP_ENV STAGE DATABASE_URL DB_URL REDIS_URL API_URL BASE_URL BASE_PATH PUBLIC_URL " +
	"LANG LC_ALL LC_CTYPE TZ COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE " +
	"GOOS GOARCH GOARM GOAMD64 CGO_ENABLED GOMAXPROCS GOGC GOMEMLIMIT GOTRACEBACK " +
	"RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR CARGO_INCREMENTAL PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED " +
	"NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT DO_NOT_TRACK HUSKY SKIP_PREFLIGHT_CHECK UPDATE_SNAPSHOTS FAST QUICK SEED WORKERS TIMEOUT JOBS"
