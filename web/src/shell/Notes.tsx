import { CloseButton } from '@mantine/core';
import { useContext, useEffect, useRef, useState } from 'react';
import { askerOf, isQuestion } from '../request/asker';
import { describeDecision } from '../request/decision';
import { parseRoute } from '../browser/route';
import { isIn, mostNotices, type Notice, type State } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { Revealed } from '../ui/Revealed';
import classes from './notes.module.css';

const stays = 7000;

/** Briefly shows what happened elsewhere: one line in the header, several of a kind combined. */
export function Notes() {
  const store = useContext(StoreContext);
  const list = useStore((s) => s.notices);
  const told = useRef(store.get().lastNotice);
  const [shown, setShown] = useState<readonly Notice[]>([]);
  useEffect(() => {
    const fresh = list.filter((n) => n.id > told.current && !isToldInPlace(n));
    told.current = list.at(-1)?.id ?? told.current;
    if (fresh.length > 0) setShown((before) => [...before, ...fresh].slice(-mostNotices));
  }, [list]);
  useEffect(() => {
    const timer = setTimeout(() => setShown((before) => (before.length > 0 ? [] : before)), stays);
    return () => clearTimeout(timer);
  }, [shown]);
  const note = inOneLine(shown, store.get().grants);
  return (
    <div className={classes.lane} role="status" data-testid="notes">
      {note && (
        <p className={classes.note} data-tone={note.tone} title={note.text}>
          <span className={classes.words}>
            <Revealed text={note.text} mode="prose" />
          </span>
          <CloseButton size="sm" aria-label={texts.notice.close} onClick={() => setShown([])} />
        </p>
      )}
    </div>
  );
}

/** Trouble takes precedence over decisions. */
function inOneLine(
  list: readonly Notice[],
  grants: State['grants'],
): { text: string; tone: string } | undefined {
  const t = texts.notice;
  const trouble = list.findLast((n) => n.kind === 'trouble');
  if (trouble) return { text: `${t.trouble}: ${trouble.text}`, tone: 'no' };
  const late = list.findLast((n): n is Settled => n.kind === 'settled' && n.late);
  const settled = late ? [late] : list.filter((n): n is Settled => n.kind === 'settled');
  const decisions = settled.map((n) => inWords(n, grants));
  const [first] = decisions;
  if (!first) {
    const other = list.at(-1);
    if (other?.kind === 'away') return { text: t.away(other.count), tone: 'neutral' };
    return other?.kind === 'note' ? { text: other.text, tone: 'neutral' } : undefined;
  }
  if (decisions.length === 1) return { text: first.whole, tone: first.tone };
  const alike = decisions.every((d) => d.title === first.title);
  if (alike) return { text: t.alike(first.title, decisions.length), tone: first.tone };
  return { text: t.answered(decisions.length, decisions.length >= mostNotices), tone: 'neutral' };
}

type Settled = Extract<Notice, { kind: 'settled' }>;

function inWords({ request, response, late }: Settled, grants: State['grants']) {
  const decision = describeDecision(
    response,
    request,
    response.grantId ? grants[response.grantId] : undefined,
  );
  const what = `${askerOf(request)} › ${isQuestion(request) ? texts.card.asksTitle : request.toolName}`;
  const whole = [decision.title, what, decision.message].filter(Boolean).join(' · ');
  return {
    title: decision.title,
    tone: late ? 'no' : decision.tone,
    whole: late ? `${texts.notice.late}. ${whole}` : whole,
  };
}

// A request that is shown, or listed in the batch dialog, shows its outcome there.
function isToldInPlace(notice: Notice): boolean {
  if (notice.kind !== 'settled' || notice.late) return false;
  const { request } = notice;
  const route = parseRoute(location.pathname);
  if (route.view === 'approvals' && route.approvalId === request.approvalId) return true;
  if (route.view === 'session' && isIn(request, route.sessionId)) return true;
  const row = `[data-testid="batch-row"][data-approval="${CSS.escape(request.approvalId)}"]`;
  return document.querySelector(row) !== null;
}
