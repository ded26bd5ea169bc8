import { api } from '../wire/api';
import { describeDecision } from '../request/decision';
import { coveredBy } from '../request/granted';
import { ranAs } from '../request/ranAs';
import { pretty } from '../wire/json';
import { texts } from './texts';
import { belowWords, pathOf } from './below';
import { callDuration, buildTranscript, type CallItem, type Item } from './buildTranscript';
import type { Session, SessionEvent } from '../wire/wire';

/** A session's whole journal, page by page, as the gateway has it. */
export async function wholeJournal(sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (;;) {
    const page = await api.events(sessionId, events.at(-1)?.seq ?? 0);
    events.push(...page);
    if (page.length === 0) return events;
  }
}

/** The conversation as a document for people. */
export function asMarkdown(
  session: Session,
  title: string,
  events: readonly SessionEvent[],
  now: string,
): string {
  const t = texts.exported;
  const head = [
    `# ${oneLine(title)}`,
    [
      `- ${oneLine(t.agent(session.agentId))}`,
      `- ${oneLine(t.started(session.createdAt, session.createdBy))}`,
      `- ${t.exportedAt(now)}`,
    ].join('\n'),
  ];
  const items = buildTranscript(events, []);
  return `${[...head, ...items.flatMap((item) => blocksOf(item, session.agentId))].join('\n\n')}\n`;
}

function blocksOf(item: Item, agentId: string): string[] {
  switch (item.kind) {
    case 'user':
      return [`## ${oneLine(item.by || texts.session.you)} · ${item.at}`, quoted(item.text)];
    case 'assistant':
      return [`## ${oneLine(agentId)} · ${item.at}`, quoted(item.text)];
    case 'call':
      return callBlocks(item);
    case 'turn':
      return [
        `*${oneLine(texts.session.turn(item.outcome))}${item.message ? `: ${oneLine(item.message)}` : ''}*`,
      ];
    case 'below':
      return [`*${oneLine(pathOf(item.request) + belowWords(item))}*`];
    case 'ended':
      return [`*${oneLine(texts.session.ended(item.outcome, item.by))}*`];
    case 'forgotten':
      return [`*${oneLine(texts.timeline.forgets(coveredBy(item.grant)))}*`];
  }
}

function callBlocks(item: CallItem): string[] {
  const t = texts.exported;
  const blocks = [`### ${oneLine(t.call(item.call.toolName))} · ${item.at}`];
  if (item.call.args !== undefined) blocks.push(`${t.arguments}:`, fenced(pretty(item.call.args), 'json'));
  for (const { request, response, voided } of item.rounds) {
    if (request?.type === 'elicitation' && request.message) blocks.push(quoted(request.message));
    for (const answer of [response, voided]) {
      if (!answer) continue;
      const { title, message } = describeDecision(answer, request);
      blocks.push(`**${oneLine(title)}**${message ? ` — ${oneLine(message)}` : ''} · ${answer.at ?? ''}`);
      const ran = ranAs(answer);
      if (ran !== undefined) blocks.push(`${texts.call.ranAs}:`, fenced(ran));
      else if (answer.edit !== undefined) blocks.push(`${t.changed}:`, fenced(pretty(answer.edit), 'json'));
      if (answer.formData !== undefined) blocks.push(fenced(pretty(answer.formData), 'json'));
    }
    if (!response) blocks.push(`*${t.waiting}*`);
  }
  if (!item.result) return blocks;
  const ran = item.rounds.at(-1)?.response?.status === 'approved';
  const time = callDuration(item);
  blocks.push(`${ran ? t.result : t.told}${ran && time ? ` (${texts.durations.took(time)})` : ''}:`);
  blocks.push(fenced(item.result.result.text));
  return blocks;
}

// Words of the conversation can't be taken for the document's own headings.
function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line ? `> ${line}` : '>'))
    .join('\n');
}

// A fence longer than any in the text, so that nothing in it ends the block.
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/([\\`*_[\]<>#|])/g, '\\$1');
}

/** A name for a file: what is not a letter or a digit becomes a dash. */
export function fileName(title: string, ending: string): string {
  const words = title
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${words || 'lineclear'}.${ending}`;
}
