import { clipped } from '../words/clipped';
import { Button, Loader } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { lazy, Suspense, useContext, useMemo, useRef } from 'react';
import { mayApprove } from '../request/approvers';
import { readEdit, toEditableText, faultPosition } from './editableText';
import type { Step } from './mergePatch';
import { pretty } from '../wire/json';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import { AnswerNote } from '../answer/AnswerNote';
import { ApproveButton } from '../answer/ApproveButton';
import { useArmed, useMoves } from '../answer/arming';
import { EditorBoundary } from './EditorBoundary';
import classes from './edit.module.css';
import shared from '../ui/shared.module.css';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import { ToolSchema } from './ToolSchema';
import { TypedName } from '../answer/TypedName';
import { useAnswering } from '../answer/useAnswering';
import { useConfirmation } from '../answer/useConfirmation';

// Only who changes arguments loads the editor.
const JsonEditor = lazy(() => import('./JsonEditor'));

interface Props {
  request: ApprovalRequest;
  args: Record<string, unknown>;
  onBack: () => void;
}

/** The arguments as they were shown, to be changed, and what is sent of it: the difference alone. */
export function EditDialog({ request, args, onBack }: Props) {
  const store = useContext(StoreContext);
  const { approvalId } = request;
  const initial = useMemo(() => toEditableText(args), [args]);
  const text = useStore((s) => s.drafts[approvalId]?.args) ?? initial;
  const draft = useMemo(() => readEdit(args, text), [args, text]);
  const { answer, online, sending, late, blocked, send } = useAnswering(request);
  const cleared = useStore((s) => mayApprove(s.identity, request));
  const confirmation = useConfirmation(request);
  const box = useRef<HTMLDivElement>(null);
  const { moves, still } = useMoves(box);
  const armed = useArmed(`${online}|${answer?.phase}|${moves}|${confirmation.confirmed}|${text}`);
  // A refusal is about what was sent; what has been changed since is not marked any more.
  const sent = answer?.phase === 'failed' && answer.data.edit !== undefined ? answer : undefined;
  const refused =
    sent && JSON.stringify(sent.data.edit) === JSON.stringify(draft.edit) ? sent.error : undefined;
  const write = (next: string) => store.dispatch({ type: 'drafting', approvalId, draft: { args: next } });
  const t = texts.edit;
  const fault = draft.fault ?? (refused === undefined ? undefined : t.refused(refused));
  const at = draft.at ?? (refused === undefined ? undefined : faultPosition(text, refused));
  const held = blocked || draft.edit === undefined || !cleared;
  return (
    <div className={classes.dialog} data-testid="edit-dialog">
      <div className={classes.columns}>
        <div className={classes.left}>
          <EditorBoundary>
            <Suspense fallback={<Wait />}>
              <JsonEditor
                label={t.label}
                value={text}
                fault={fault}
                at={at}
                disabled={sending}
                onChange={write}
              />
            </Suspense>
          </EditorBoundary>
          <p className={classes.hint}>{t.keys}</p>
        </div>
        <ToolSchema approvalId={approvalId} />
      </div>
      <p className={classes.fault} role="alert" data-testid="edit-fault">
        {fault && <Revealed text={fault} mode="prose" />}
      </p>
      <Changes steps={draft.steps} />
      <div className={classes.decide} ref={box}>
        <TypedName confirmation={confirmation} disabled={held} />
        <div className={shared.buttons}>
          <ApproveButton
            confirmation={confirmation}
            armed={armed}
            still={still}
            disabled={held}
            act={() => send({ status: 'approved', scope: 'once', edit: draft.edit })}
          >
            <IconCheck size={18} aria-hidden /> {t.approve}
          </ApproveButton>
          <Button
            type="button"
            variant="default"
            disabled={text === initial || sending}
            onClick={() => write(initial)}
          >
            {t.reset}
          </Button>
          <Button type="button" variant="subtle" color="gray" onClick={onBack}>
            {t.back}
          </Button>
        </div>
        <AnswerNote online={online} sending={sending} late={late} />
      </div>
    </div>
  );
}

function Wait() {
  return (
    <div className={classes.wait}>
      <Remark tone="quiet">
        <Loader size={14} aria-hidden /> {texts.edit.loading}
      </Remark>
    </div>
  );
}

/** What is sent, member by member. */
function Changes({ steps }: { steps: readonly Step[] }) {
  const t = texts.edit;
  return (
    <section className={classes.changes} aria-label={t.changes} data-testid="edit-changes" tabIndex={0}>
      <h3>{t.changes}</h3>
      {steps.length === 0 && <p className={classes.hint}>{t.none}</p>}
      <dl>
        {/* Two members may be written alike: "a.b", and the b of an a. */}
        {steps.map((step, i) => (
          <div key={i}>
            <dt>
              <Revealed text={step.path} />
            </dt>
            <dd>
              <del>{step.before === undefined ? t.added : <Revealed text={short(step.before)} />}</del>
              <ins>{step.kind === 'removed' ? t.removed : <Revealed text={pretty(step.after)} />}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

// What becomes of it stands whole; of what it was, the beginning.
function short(value: unknown): string {
  const text = pretty(value);
  return clipped(text, 300);
}
