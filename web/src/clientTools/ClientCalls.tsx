import { CloseButton } from '@mantine/core';
import { IconBell, IconCopy, IconExternalLink } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { formatSeconds, useSecondsLeft } from '../ui/clock';
import { useConnection } from '../connection/context';
import { href } from '../browser/route';
import type { ClientCall, Showing } from '../store/state';
import { useStore } from '../store/store';
import { texts } from '../words/texts';
import { useArmed } from '../answer/arming';
import { Block } from '../ui/Block';
import classes from './client.module.css';
import linkTarget from '../ui/linkTarget.module.css';
import shared from '../ui/shared.module.css';
import { DecisionButton } from '../answer/DecisionButton';
import { LinkTarget, openInNewTab } from '../ui/LinkTarget';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

/** What agents ask of this tab. Nothing but a notice happens without a click of the person. */
export function ClientCalls() {
  const list = useStore((s) => s.clientCalls);
  const place = list.map((c) => c.call.toolCallId).join();
  return (
    <section className={classes.calls} aria-label={texts.clientTools.region} aria-live="polite">
      {list.map((shown) => (
        <Call key={shown.call.toolCallId} shown={shown} place={place} />
      ))}
    </section>
  );
}

function Call({ shown, place }: { shown: ClientCall; place: string }) {
  switch (shown.showing.kind) {
    case 'notification':
      return <Notification shown={shown} showing={shown.showing} />;
    case 'link':
      return <Link shown={shown} showing={shown.showing} place={place} />;
    case 'copy':
      return <Copy shown={shown} showing={shown.showing} place={place} />;
  }
}

interface OfKind<K extends Showing['kind']> {
  shown: ClientCall;
  showing: Extract<Showing, { kind: K }>;
}

const readingTime = 15_000;

function Notification({ shown, showing }: OfKind<'notification'>) {
  const connection = useConnection();
  const [held, setHeld] = useState(false);
  const { toolCallId, agentId } = shown.call;
  const close = () => connection.finishTool(toolCallId, { result: { shown: true } });
  const closing = useRef(close);
  closing.current = close;
  useEffect(() => {
    if (held) return; // whoever reads it keeps it
    const timer = setTimeout(() => closing.current(), readingTime);
    return () => clearTimeout(timer);
  }, [held]);
  return (
    <Frame
      shown={shown}
      icon={<IconBell size={17} aria-hidden />}
      title={texts.clientTools.notification(agentId)}
      aside={<CloseButton size="sm" aria-label={texts.clientTools.close} onClick={close} />}
      onHold={setHeld}
    >
      <p className={classes.words}>
        <Revealed text={showing.text} mode="prose" />
      </p>
    </Frame>
  );
}

function Link({ shown, showing, place }: OfKind<'link'> & { place: string }) {
  const connection = useConnection();
  const t = texts.clientTools;
  const { toolCallId, agentId } = shown.call;
  const open = () => {
    openInNewTab(showing);
    connection.finishTool(toolCallId, { result: { opened: true } });
  };
  return (
    <Frame shown={shown} icon={<IconExternalLink size={17} aria-hidden />} title={t.link(agentId)}>
      <LinkTarget address={showing} />
      <Ask shown={shown} place={place} act={open} words={t.open} />
    </Frame>
  );
}

function Copy({ shown, showing, place }: OfKind<'copy'> & { place: string }) {
  const connection = useConnection();
  const [failed, setFailed] = useState(false);
  const busy = useRef(false);
  const t = texts.clientTools;
  const { toolCallId, agentId } = shown.call;
  const copy = () => {
    if (busy.current) return;
    busy.current = true;
    // Absent where the page came without encryption from another machine.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const written = clipboard ? clipboard.writeText(showing.text) : Promise.reject(new Error('no clipboard'));
    written.then(
      () => connection.finishTool(toolCallId, { result: { copied: true } }),
      () => {
        busy.current = false;
        setFailed(true);
      },
    );
  };
  return (
    <Frame shown={shown} icon={<IconCopy size={17} aria-hidden />} title={t.copyTitle(agentId)}>
      <div className={classes.text}>
        <Block text={showing.text} label={t.text} />
      </div>
      <p className={linkTarget.host}>{t.copyNote}</p>
      {failed && <Remark tone="error">{t.copyFailed}</Remark>}
      <Ask shown={shown} place={`${place}|${failed}`} act={copy} words={t.copy} />
    </Frame>
  );
}

interface AskProps {
  shown: ClientCall;
  place: string;
  words: string;
  act: () => void;
}

/** The two answers, of which neither is given by a click that was meant for something else. */
function Ask({ shown, place, words, act }: AskProps) {
  const connection = useConnection();
  const offset = useStore((s) => s.clockOffset);
  const { toolCallId, expiresAt } = shown.call;
  const left = useSecondsLeft(expiresAt, offset);
  const armed = useArmed(place);
  const t = texts.clientTools;
  const decline = () => connection.finishTool(toolCallId, { error: t.declined });
  return (
    <div className={`${shared.buttons} ${classes.buttons}`}>
      <DecisionButton armed={armed} disabled={left === 0} act={act}>
        {words}
      </DecisionButton>
      <DecisionButton armed={armed} disabled={left === 0} look="aside" act={decline}>
        {t.notNow}
      </DecisionButton>
      {left !== undefined && (
        <span className={classes.left} role="timer">
          {left > 0 ? t.left(formatSeconds(left)) : t.timeUp}
        </span>
      )}
    </div>
  );
}

interface FrameProps {
  shown: ClientCall;
  icon: ReactNode;
  title: string;
  aside?: ReactNode;
  onHold?: (held: boolean) => void;
  children: ReactNode;
}

function Frame({ shown, icon, title, aside, onHold, children }: FrameProps) {
  const id = useId();
  const elsewhere = useStore((s) => s.viewing !== shown.call.sessionId);
  return (
    <article
      className={`${shared.panel} ${classes.call}`}
      aria-labelledby={id}
      data-testid="client-call"
      onPointerEnter={() => onHold?.(true)}
      onPointerLeave={() => onHold?.(false)}
      onFocus={() => onHold?.(true)}
      onBlur={() => onHold?.(false)}
    >
      <header className={classes.head}>
        {icon}
        <h3 id={id} className={classes.title}>
          <Revealed text={title} />
        </h3>
        {aside}
      </header>
      {children}
      {elsewhere && (
        <a className={classes.session} href={href({ view: 'session', sessionId: shown.call.sessionId })}>
          {texts.clientTools.session}
        </a>
      )}
    </article>
  );
}
