import { Button, TextInput } from '@mantine/core';
import { IconMinus, IconSend, IconX } from '@tabler/icons-react';
import { useContext, useMemo, useRef, useState } from 'react';
import { isFromServer } from '../request/asker';
import { collect, formOf, faultsByField, type Collected, type Form } from './form';
import type { Answer, Draft } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { may, type ApprovalRequest } from '../wire/wire';
import { AnswerNote } from '../answer/AnswerNote';
import { useArmed, useMoves } from '../answer/arming';
import own from './form.module.css';
import answering from '../answer/answer.module.css';
import shared from '../ui/shared.module.css';
import { Deadline } from '../answer/Deadline';
import { DecisionButton } from '../answer/DecisionButton';
import { QuestionForm } from './QuestionForm';
import { Remark } from '../ui/Remark';
import { useAnswering } from '../answer/useAnswering';

interface Props {
  request: ApprovalRequest;
  unseen: string | false;
  place: string;
  /** Skips the request. */
  onLater?: (() => void) | undefined;
}

const nothing: Draft = {};

/**
 * What a person can say to a question: answer it, decline it, or dismiss it. What
 * is typed stands in the store, so that no frame and no other page takes it away.
 */
export function QuestionAnswers({ request, unseen, place, onLater }: Props) {
  const store = useContext(StoreContext);
  const identity = useStore((s) => s.identity);
  const draft = useStore((s) => s.drafts[request.approvalId]) ?? nothing;
  const form = useMemo(() => formOf(request.schema), [request.schema]);
  const { answer, online, sending, late, blocked, send } = useAnswering(request);
  const [tried, setTried] = useState(false);
  const collected = useMemo(() => collect(form, draft), [form, draft]);
  const refusal = useMemo(() => refusalOf(answer, form, collected), [answer, form, collected]);
  const faults = tried ? new Map([...refusal.at, ...collected.faults]) : refusal.at;
  const box = useRef<HTMLDivElement>(null);
  const { moves, still } = useMoves(box);
  const armed = useArmed(`${place}|${online}|${answer?.phase}|${[...faults.keys()].join()}|${moves}`);
  const press = { armed, still };
  const t = texts.question;

  if (!may(identity, 'answer')) return <Remark tone="quiet">{texts.card.noRight}</Remark>;

  const onDraft = (next: Draft) => {
    store.dispatch({ type: 'drafting', approvalId: request.approvalId, draft: next });
  };
  const held = blocked || unseen !== false;
  const answerIt = () => {
    if (held || !armed) return;
    setTried(true);
    if (collected.faults.size > 0) return;
    send({ status: 'approved', ...(collected.data === undefined ? {} : { formData: collected.data }) });
  };
  const reason = draft.reason ?? '';
  const decline = () => send({ status: 'denied', ...(reason.trim() ? { message: reason.trim() } : {}) });
  return (
    <div className={answering.answers} data-armed={armed || undefined} ref={box}>
      {/* In a row of buttons it takes a width; here that would be a height. */}
      <div>
        <Deadline request={request} />
      </div>
      <QuestionForm
        form={form}
        draft={draft}
        faults={faults}
        disabled={sending || late}
        onDraft={onDraft}
        onSend={answerIt}
      />
      {refusal.words && <Remark tone="error">{refusal.words}</Remark>}
      {tried && collected.faults.size > 0 && <Remark tone="error">{t.unfinished}</Remark>}
      <div className={`${shared.buttons} ${answering.buttons}`}>
        <DecisionButton {...press} disabled={held} act={answerIt}>
          <IconSend size={17} aria-hidden /> {form.kind === 'none' ? t.accept : t.send}
        </DecisionButton>
        {form.kind !== 'none' && !held && <span className={`${own.hint} ${own.keys}`}>{t.sendHint}</span>}
      </div>
      <AnswerNote online={online} sending={sending} late={late} unseen={unseen} />
      <div className={own.aside} role="group" aria-label={t.aside}>
        <TextInput
          label={t.reason}
          placeholder={isFromServer(request) ? texts.server.reasonPlaceholder : t.reasonPlaceholder}
          value={reason}
          onChange={(e) => onDraft({ reason: e.currentTarget.value })}
          disabled={sending}
          size="sm"
          autoComplete="off"
        />
        <div className={`${shared.buttons} ${answering.buttons}`}>
          <DecisionButton {...press} disabled={blocked} look="deny" act={decline}>
            <IconX size={18} aria-hidden /> {t.decline}
          </DecisionButton>
          <DecisionButton
            {...press}
            disabled={blocked}
            look="aside"
            act={() => send({ status: 'cancelled' })}
          >
            <IconMinus size={18} aria-hidden /> {t.dismiss}
          </DecisionButton>
          {onLater && (
            <Button type="button" className={answering.button} variant="default" onClick={onLater}>
              {texts.card.later}
            </Button>
          )}
        </div>
        <p className={own.hint}>{t.declineNote}</p>
      </div>
    </div>
  );
}

interface Refusal {
  at: ReadonlyMap<number, string>;
  words?: string;
}

/** Why the gateway did not take the answer. What is changed since is not marked any more. */
function refusalOf(answer: Answer | undefined, form: Form, now: Collected): Refusal {
  if (answer?.phase !== 'failed') return { at: new Map() };
  const said = answer.error ?? '';
  if (answer.code !== 'invalid' || form.kind === 'none') {
    return { at: new Map(), words: `${texts.card.failed} ${said}` };
  }
  const sent = answer.data.formData;
  if (form.kind === 'json') {
    const same = JSON.stringify(sent) === JSON.stringify(now.data);
    return { at: same ? new Map([[0, said]]) : new Map(), words: texts.question.invalid };
  }
  const { at, rest } = faultsByField(said, form.fields);
  const same = (name: string) =>
    JSON.stringify(memberOf(sent, name)) === JSON.stringify(memberOf(now.data, name));
  const still = [...at].filter(([i]) => same(form.fields[i]!.name));
  return { at: new Map(still), words: [texts.question.invalid, rest].filter(Boolean).join(' ') };
}

function memberOf(data: unknown, name: string): unknown {
  const own = typeof data === 'object' && data !== null && Object.hasOwn(data, name);
  return own ? (data as Record<string, unknown>)[name] : undefined;
}
