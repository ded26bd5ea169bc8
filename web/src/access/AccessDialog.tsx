import { Button, Modal, MultiSelect, Radio, Select, Stack, TextInput } from '@mantine/core';
import type { wire } from 'lineclear';
import { useState } from 'react';
import { api } from '../wire/api';
import { formatTime } from '../ui/clock';
import type { AccessChange, Credential } from '../wire/wire';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { Role } from '../wire/wire';
import classes from './access.module.css';
import shared from '../ui/shared.module.css';
import { CopyButton } from '../ui/CopyButton';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

/** What the dialog is opened for. A change applies to one token, or to all logins of a person. */
export type AccessTask =
  | { make: 'link' | 'token' }
  | { made: Made }
  | { change: { name: string; credentials: readonly Credential[] } };

interface Props {
  task: AccessTask;
  onClose: () => void;
  onChange: (name: string, credentials: readonly Credential[], change: AccessChange) => void;
}

interface Made {
  title: string;
  note: string;
  secret: string;
}

/** Makes a link or a token, and shows it this once; or changes what one may. */
export function AccessDialog({ task, onClose, onChange }: Props) {
  const [made, setMade] = useState<Made | undefined>('made' in task ? task.made : undefined);
  const t = texts.accessPage;
  const title = made?.title ?? ('change' in task ? t.changeLabel(task.change.name) : heading(task));
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Revealed text={title} />}
      closeButtonProps={{ 'aria-label': t.close }}
      // A secret that is shown once is not lost by a press beside it.
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      centered
    >
      {made ? (
        <Shown made={made} onClose={onClose} />
      ) : (
        <Form task={task} onMade={setMade} onChange={onChange} onClose={onClose} />
      )}
    </Modal>
  );
}

const heading = (task: AccessTask) =>
  'make' in task && task.make === 'link' ? texts.accessPage.invite : texts.accessPage.newToken;

function Shown({ made, onClose }: { made: Made; onClose: () => void }) {
  const t = texts.accessPage;
  return (
    <div className={classes.form}>
      <p className={shared.note}>{made.note}</p>
      <code className={`${shared.code} ${classes.secret}`} aria-label={t.secret} data-testid="secret">
        {made.secret}
      </code>
      <div className={classes.formButtons}>
        <CopyButton text={made.secret} label={t.copyAll} />
        <Button onClick={onClose}>{t.done}</Button>
      </div>
    </div>
  );
}

function Form({ task, onMade, onChange, onClose }: Props & { onMade: (made: Made) => void }) {
  const agents = useStore((s) => s.agents) ?? [];
  const changed = 'change' in task ? task.change : undefined;
  const before = changed?.credentials[0];
  const kind = 'make' in task ? task.make : before?.kind;
  const [name, setName] = useState('');
  const [role, setRole] = useState<string>(before?.roles[0] ?? (kind === 'token' ? 'agent' : 'approver'));
  const [only, setOnly] = useState<string[]>(before?.agents ?? []);
  const [days, setDays] = useState<string | null>('30');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const t = texts.accessPage;
  const make = async () => {
    setBusy(true);
    setError('');
    const access = { name: name.trim(), roles: [role as Role], ...(only.length > 0 && { agents: only }) };
    try {
      onMade(
        kind === 'token'
          ? await token({ ...access, ...ending(days) })
          : invitation(access.name, await api.newLink(access)),
      );
    } catch (trouble) {
      setError((trouble as Error).message);
    }
    setBusy(false);
  };
  return (
    <form
      className={classes.form}
      onSubmit={(e) => {
        e.preventDefault();
        const change = { roles: [role as Role], agents: only.length > 0 ? only : ['*'] };
        if (changed) onChange(changed.name, changed.credentials, change);
        else void make();
      }}
    >
      {!before && (
        <TextInput
          label={kind === 'token' ? t.name : t.personName}
          description={kind === 'token' ? t.tokenHint : t.personHint}
          value={name}
          onChange={(e) => setName(e.currentTarget.value)}
          autoComplete="off"
          data-autofocus
          required
        />
      )}
      <Radio.Group label={t.roleLabel} value={role} onChange={setRole}>
        <Stack gap={8} mt={6}>
          {rolesFor(kind).map((r) => (
            <Radio key={r} value={r} label={t.role(r)} description={t.roleDoes[r]} />
          ))}
        </Stack>
      </Radio.Group>
      <MultiSelect
        label={t.agentsLabel}
        description={t.agentsHint}
        placeholder={only.length === 0 ? t.agentsPlaceholder : undefined}
        data={[...new Set([...agents.map((a) => a.agentId), 'external', ...only])]}
        value={only}
        onChange={setOnly}
      />
      {kind === 'token' && !before && (
        <Select label={t.expires} data={t.terms} value={days} onChange={setDays} allowDeselect={false} />
      )}
      {error && (
        <Remark tone="error">
          <Revealed text={error} />
        </Remark>
      )}
      <div className={classes.formButtons}>
        <Button variant="default" onClick={onClose}>
          {t.cancel}
        </Button>
        <Button type="submit" disabled={busy || (!before && name.trim() === '')}>
          {before ? t.save : busy ? t.making : t.make}
        </Button>
      </div>
    </form>
  );
}

// A person in a browser is no agent.
const rolesFor = (kind: string | undefined): Role[] =>
  kind === 'token'
    ? ['agent', 'viewer', 'approver', 'operator', 'admin']
    : ['viewer', 'approver', 'operator', 'admin'];

const ending = (days: string | null) =>
  days ? { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() } : {};

async function token(access: Parameters<typeof api.newToken>[0]): Promise<Made> {
  const t = texts.accessPage;
  const { token, secret } = await api.newToken(access);
  return { title: t.tokenMade(token.name ?? token.subject), note: t.tokenOnce, secret };
}

/** A new login link, for the dialog that shows it once. */
export function invitation(name: string, { url, expiresAt }: wire.NewLinkBody): Made {
  const t = texts.accessPage;
  return { title: t.linkMade(name), note: t.linkOnce(formatTime(expiresAt)), secret: url };
}
