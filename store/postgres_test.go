//go:build postgres

package store_test

import (
	"database/sql"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session/sessiontest"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

// onPostgres gives each folder of a test a database on a server instead of a file in it.
func onPostgres(t *testing.T, through func(*postgrestest.Server) func(url string) string) {
	server := postgrestest.Start(t)
	by := through(server)
	var mu sync.Mutex
	urls := map[string]string{}
	url := func(dir string) string {
		mu.Lock()
		defer mu.Unlock()
		if urls[dir] == "" {
			urls[dir] = server.Database(t)
		}
		return urls[dir]
	}
	file, inFile := opened, database
	t.Cleanup(func() { opened, database = file, inFile })
	opened = func(dir, keyFile string, b *bus.Bus) (*store.Store, error) {
		return store.OpenShared(t.Context(), postgres.Options{URL: by(url(dir)), Direct: url(dir), Node: "one"}, dir, keyFile, b)
	}
	database = func(_ *testing.T, dir string) (*sql.DB, error) { return sql.Open("pgx", url(dir)) }
}

func TestPostgresKeepsWhatSQLiteKeeps(t *testing.T) {
	onPostgres(t, func(*postgrestest.Server) func(string) string { return func(url string) string { return url } })
	for name, test := range map[string]func(*testing.T){
		"approvals": func(t *testing.T) { approvaltest.Run(t, fixture) },
		"sessions":  func(t *testing.T) { sessiontest.Run(t, sessionsOf) },
		"model":     TestTheStoreAgreesWithTheReferenceInAnyOrderOfEvents,

		"access, use and ends":        TestAccessOutlivesTheProcessWithItsLastUseInvitationsAndEnds,
		"tokens and logins":           TestTokensAndLoginsOutliveTheProcess,
		"records of every change":     TestEveryKindOfChangeLeavesItsRecord,
		"no secrets in the audit log": TestASecretIsNowhereInTheAuditLog,
		"configured secrets":          TestWhatTheConfigurationCallsASecretIsMaskedToo,
		"long arguments":              TestArgumentsThatAreTooLongAreNamedByTheirDigestAndLength,
		"a signature each thousand":   TestTheStoreSignsEveryThousandthRecord,
		"the chain":                   TestWhatHappenedIsChainedInTheAuditLog,
		"calls not asked for":         TestACallThatCouldNotBeAskedForIsInTheAuditLog,
		"counts of calls":             TestEachAnswerCountsTheSameInTheSessionAndByItsEvents,
		"a refused change":            TestOneRefusedChangeTakesNoneOfItsGroupWithIt,
		"nothing half done":           TestARefusedChangeLeavesNothingHalfDone,
		"a caller who gives up":       TestACallerWhoGivesUpDisturbsNothing,
		"after the end":               TestAChangeAfterTheEndIsRefused,
		"search":                      TestASearchFindsWhatAPlainFilterLeaves,
		"pages of a search":           TestWhereAPageEndsTellsNothingOfOtherAgents,
		"search by a secret":          TestASearchFindsNothingByASecretOrByWhatIsNotSeen,
		"search by what is masked":    TestWhatIsMaskedByNowIsNotFoundByWhatItWas,
		"search for one too many":     TestOfARequestRefusedAsOneTooManyOnlyWhatIsStoredIsSearched,
		"search after removal":        TestWhatASearchLooksThroughEndsWithItsRow,
		"every query":                 TestNoQueryReadsAllThatThereEverWas,
		"what is never removed":       TestWhatWaitsRunsOrIsLiveIsNeverRemoved,
		"removal in small steps":      TestASessionIsRemovedInSmallSteps,
		"removal that was begun":      TestNobodyFindsASessionThatIsMarkedAndTheNextRoundRemovesIt,
		"a standing grant":            TestAStandingGrantOutlivesItsSession,
		"a standing grant's giver":    TestAStandingGrantEndsWithItsGiversRightToAnswer,
		"a broken chain":              TestABrokenChainIsNotCut,
		"subscriptions":               TestASubscriptionIsKeptUntilItsLoginEnds,
		"one subscription":            TestALoginAndAnEndpointHaveOneSubscription,
		"rights when it is written":   TestWhatACredentialMayIsLookedAtInTheTransaction,
		"records of subscriptions":    TestTheAuditLogHasWhoIsCalledAndNotWhere,
	} {
		t.Run(name, test)
	}
}

func TestPostgresKeepsTheContractThroughAPooler(t *testing.T) {
	onPostgres(t, func(s *postgrestest.Server) func(string) string { return s.Pooled(t) })
	approvaltest.Run(t, fixture)
	sessiontest.Run(t, sessionsOf)
}
