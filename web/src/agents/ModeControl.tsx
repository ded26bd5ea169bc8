import { Button, Menu, Modal } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useContext, useState } from 'react';
import { api, Problem } from '../wire/api';
import { formatTime } from '../ui/clock';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { may, type Agent, type AgentMode } from '../wire/wire';
import { useArmed } from '../answer/arming';
import { DecisionButton } from '../answer/DecisionButton';
import classes from './mode.module.css';
import shared from '../ui/shared.module.css';
import { ModeBadge, modeName } from './ModeBadge';
import { Revealed } from '../ui/Revealed';

const modes: AgentMode[] = ['manual', 'auto-approve', 'auto-deny'];

// What is set is set against the mode as it was when the menu was opened: news
// that come in while it is open must not turn a click into another decision.
interface Wish {
  mode: AgentMode;
  version: number;
}

interface Props {
  agent: Agent;
  /** Inside a drawer, which keeps the focus to itself. */
  inside?: boolean;
}

/** An agent's mode; whoever may manage sets it here. It is set, never toggled. */
export function ModeControl({ agent, inside = false }: Props) {
  const store = useContext(StoreContext);
  const manages = useStore((s) => may(s.identity, 'manage'));
  const [seen, setSeen] = useState<Agent>();
  const [wish, setWish] = useState<Wish>();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string[]>();
  const [done, setDone] = useState('');
  const t = texts.mode;
  if (!manages) return <ModeBadge agent={agent} />;

  const set = async ({ mode, version }: Wish) => {
    setBusy(true);
    setDone('');
    try {
      const now = await api.setMode(agent.agentId, mode, version);
      store.dispatch({ type: 'mode', set: now });
      setDone(t.done(agent.agentId, modeName(now.mode)));
    } catch (error) {
      const stands = error instanceof Problem && error.status === 409 ? error.body.mode : undefined;
      if (stands) store.dispatch({ type: 'mode', set: stands });
      if (stands && stands.version !== version) {
        const who = stands.setBy?.subject || t.someone;
        const at = stands.setAt && formatTime(stands.setAt);
        setRefusal([t.meanwhile(who, agent.agentId, modeName(stands.mode), at), t.notSent(modeName(mode))]);
      } else {
        setRefusal([t.refused((error as Error).message)]);
      }
    }
    setBusy(false);
    setWish(undefined);
  };
  const pick = (mode: AgentMode) => {
    const next = { mode, version: (seen ?? agent).modeVersion };
    if (mode === 'auto-approve') setWish(next);
    else void set(next);
  };
  const shown = seen ?? agent;
  return (
    <>
      <Menu
        position="bottom-start"
        width={272}
        withinPortal={!inside}
        onOpen={() => setSeen(agent)}
        onClose={() => setSeen(undefined)}
      >
        <Menu.Target>
          <button
            type="button"
            className={classes.target}
            disabled={busy}
            aria-label={t.change(agent.agentId, modeName(agent.mode))}
            data-testid="mode"
          >
            <ModeBadge agent={agent} bare />
            <IconChevronDown size={14} aria-hidden />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t.menu}</Menu.Label>
          {modes.map((mode) => (
            <Menu.RadioItem
              key={mode}
              value={mode}
              checked={mode === shown.mode}
              closeMenuOnClick
              checkIcon={<IconCheck size={16} aria-hidden />}
              onChange={() => mode !== shown.mode && pick(mode)}
            >
              <span className={classes.name}>{t.names[mode]}</span>
              <span className={classes.meaning}>{t.meanings[mode]}</span>
            </Menu.RadioItem>
          ))}
          {shown.modeSetBy && (
            <p className={classes.by}>
              <Revealed text={t.setBy(shown.modeSetBy)} />
            </p>
          )}
        </Menu.Dropdown>
      </Menu>
      <span className={shared.visuallyHidden} role="status">
        {done}
      </span>
      <Confirm
        agentId={agent.agentId}
        wish={wish}
        busy={busy}
        onYes={(w) => void set(w)}
        onNo={() => setWish(undefined)}
      />
      <Refused lines={refusal} onClose={() => setRefusal(undefined)} />
    </>
  );
}

interface ConfirmProps {
  agentId: string;
  wish: Wish | undefined;
  busy: boolean;
  onYes: (wish: Wish) => void;
  onNo: () => void;
}

/** Says what auto-approve means before it is set. */
function Confirm({ agentId, wish, busy, onYes, onNo }: ConfirmProps) {
  const t = texts.mode;
  const armed = useArmed(`${agentId}|${wish?.mode}|${wish?.version}`);
  return (
    <Modal
      opened={wish !== undefined}
      onClose={onNo}
      title={<Revealed text={t.confirmTitle(agentId)} />}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <div className={classes.dialog}>
        {t.confirm(agentId).map((line) => (
          <p key={line}>
            <Revealed text={line} mode="prose" />
          </p>
        ))}
        <div className={`${shared.buttons} ${classes.buttons}`}>
          <Button type="button" variant="default" className={classes.no} data-autofocus onClick={onNo}>
            {t.confirmNo}
          </Button>
          <DecisionButton armed={armed} disabled={busy} look="deny" act={() => wish && onYes(wish)}>
            {t.confirmYes}
          </DecisionButton>
        </div>
      </div>
    </Modal>
  );
}

function Refused({ lines, onClose }: { lines: string[] | undefined; onClose: () => void }) {
  const t = texts.mode;
  return (
    <Modal
      opened={lines !== undefined}
      onClose={onClose}
      title={t.refusedTitle}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <div className={classes.dialog} role="alert">
        {lines?.map((line) => (
          <p key={line}>
            <Revealed text={line} mode="prose" />
          </p>
        ))}
        <div className={`${shared.buttons} ${classes.buttons}`}>
          <Button type="button" variant="default" className={classes.no} data-autofocus onClick={onClose}>
            {t.ok}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
