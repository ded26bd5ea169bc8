import type { Grant, SessionEvent } from '../wire/wire';

/** The grants of a session from its journal, newest first; how often each was used is counted from there too. */
export function grantsOf(events: readonly SessionEvent[]): Grant[] {
  const grants = new Map<string, Grant>();
  for (const event of events) {
    if (event.type === 'grant.given' || event.type === 'grant.ended') {
      grants.set(event.data.grantId, event.data);
    }
    if (event.type === 'approval.resolved' && event.data.by?.via === 'grant' && event.data.grantId) {
      const used = grants.get(event.data.grantId);
      if (used && !used.ended) grants.set(used.grantId, { ...used, uses: used.uses + 1 });
    }
  }
  return [...grants.values()].reverse();
}

/** Those that still clear calls. The gateway tells of one whose time or uses are over only a little later. */
export function liveGrants(grants: readonly Grant[], gatewayNow: number): Grant[] {
  return grants.filter(
    (g) =>
      !g.ended &&
      !(g.maxUses && g.uses >= g.maxUses) &&
      !(g.expiresAt && Date.parse(g.expiresAt) <= gatewayNow),
  );
}
