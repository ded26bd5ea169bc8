import { describe, expect, it } from 'vitest';
import { grantsOf, liveGrants } from './liveGrants';
import { golden } from '../test/golden';
import type { ApprovalResponse, Grant, SessionEvent } from '../wire/wire';

const given = golden('sessionEvent-grant-given', 'sessionEvent').data;
const ended = golden('sessionEvent-grant-ended', 'sessionEvent').data;
const grant = given.data as Grant;
const cleared = golden('approvalResponse-by-grant', 'approvalResponse').data;
const now = Date.parse(grant.givenAt);

const resolved = (data: ApprovalResponse): SessionEvent => ({
  session: given.session,
  seq: given.seq + 1,
  type: 'approval.resolved',
  at: given.at,
  data,
});
const live = (events: SessionEvent[], at = now) => liveGrants(grantsOf(events), at);

describe('the grants of a session', () => {
  it('are those given and not ended', () => {
    expect(live([given])).toEqual([grant]);
    expect(live([given, ended])).toEqual([]);
  });

  it('count a use for each call that they clear, not for the approval that gave them', () => {
    const gave = resolved({ ...cleared, by: { subject: 'ada', via: 'websocket' } });
    expect(live([given, resolved(cleared), gave])[0]?.uses).toBe(grant.uses + 1);
  });

  it('are over with their last use, before the gateway says so', () => {
    const last = { ...given, data: { ...grant, uses: 4, maxUses: 5 } } as SessionEvent;
    expect(live([last])).toHaveLength(1);
    expect(live([last, resolved(cleared)])).toEqual([]);
  });

  it('are over at their time, by the gateway’s clock', () => {
    const end = Date.parse(grant.expiresAt!);
    expect(live([given], end - 1)).toHaveLength(1);
    expect(live([given], end)).toEqual([]);
  });
});
