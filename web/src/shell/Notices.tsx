import { notifications } from '@mantine/notifications';
import { useContext, useEffect, useRef } from 'react';
import { askerOf, isQuestion } from '../request/asker';
import { describeDecision } from '../request/decision';
import { parseRoute } from '../browser/route';
import type { Notice, State } from '../store/state';
import type { ApprovalRequest } from '../wire/wire';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { Alerts } from '../alerts/Alerts';
import { KeyMap } from './KeyMap';
import { Revealed } from '../ui/Revealed';
import classes from './notices.module.css';
import shared from '../ui/shared.module.css';

/** Tells shortly, in every tab, what was decided and by whom. */
export function Notices() {
  const store = useContext(StoreContext);
  const list = useStore((s) => s.notices);
  const shown = useRef(store.get().lastNotice);
  useEffect(() => {
    for (const notice of list) {
      if (notice.id > shown.current) show(notice, store.get().grants);
    }
    shown.current = Math.max(shown.current, list.at(-1)?.id ?? 0);
  }, [list]);
  return null;
}

function show(notice: Notice, grants: State['grants']): void {
  const closeButtonProps = { 'aria-label': texts.notice.close };
  const common = { closeButtonProps, withBorder: true, autoClose: 7000 };
  switch (notice.kind) {
    case 'settled': {
      if (!notice.late && isToldInPlace(notice.request.approvalId)) return;
      const grant = notice.response.grantId ? grants[notice.response.grantId] : undefined;
      const decision = describeDecision(notice.response, notice.request, grant);
      const { request } = notice;
      const tool = isQuestion(request) ? texts.card.asksTitle : request.toolName;
      notifications.show({
        ...common,
        color: { yes: 'clear', no: 'red', nobody: 'violet', neutral: 'gray' }[decision.tone],
        autoClose: notice.late ? 12000 : 7000,
        title: (
          <span className={classes.title}>
            <Revealed text={notice.late ? texts.notice.late : decision.title} mode="prose" />
          </span>
        ),
        message: (
          <span className={classes.words}>
            {notice.late && <Revealed text={`${decision.title}: `} />}
            <Revealed
              text={[`${askerOf(request)} › ${tool}`, decision.message].filter(Boolean).join(' — ')}
              mode="prose"
            />
          </span>
        ),
      });
      return;
    }
    case 'away':
      notifications.show({ ...common, color: 'gray', message: texts.notice.away(notice.count) });
      return;
    case 'note':
      notifications.show({ ...common, color: 'gray', message: <Words text={notice.text} /> });
      return;
    case 'trouble':
      notifications.show({
        ...common,
        color: 'red',
        title: texts.notice.trouble,
        message: <Words text={notice.text} />,
      });
  }
}

function Words({ text }: { text: string }) {
  return (
    <span className={classes.words}>
      <Revealed text={text} mode="prose" />
    </span>
  );
}

// Where a request is shown alone, or answered with others, its outcome stands
// in its place, and a note would only lie over the way on.
function isToldInPlace(approvalId: string): boolean {
  const route = parseRoute(location.hash);
  if (route.view === 'waiting' && route.approvalId === approvalId) return true;
  return (
    document.querySelector(`[data-testid="batch-row"][data-approval="${CSS.escape(approvalId)}"]`) !== null
  );
}

/** Says a new request to those who don't see the page, and counts in the title of the tab. */
export function Announcer() {
  const pending = useStore((s) => s.pending);
  const count = Object.keys(pending).length;
  const newest = Object.values(pending).reduce<(typeof pending)[string] | undefined>(
    (a, b) => (a && a.requestedAt >= b.requestedAt ? a : b),
    undefined,
  );
  useEffect(() => {
    document.title = texts.title(count);
  }, [count]);
  return (
    <>
      <div className={shared.visuallyHidden} role="status" aria-live="polite">
        {newest && <Revealed text={announced(newest)} />}
      </div>
      <Alerts />
      <KeyMap />
    </>
  );
}

function announced(request: ApprovalRequest): string {
  const t = texts.notice;
  return isQuestion(request)
    ? t.liveQuestion(askerOf(request))
    : t.live(request.toolName ?? '', askerOf(request));
}
