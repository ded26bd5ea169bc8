import type * as wire from './generated';
import type { ClientFrames, JournalEvents, ServerFrames } from './generated';

// The frames and objects of docs/protocol.md, as the dashboard names them. They are the gateway's own types: make web-types.

export { PROTOCOL } from './generated';
export type {
  AgentPolicy,
  Answer as AnswerData,
  Approval,
  Approvers,
  AssistantMessage,
  BelowRequest,
  BelowResponse,
  By,
  Command as CommandPart,
  Coverage,
  Credential,
  DayStats,
  Delta,
  Device as WaitingTerminal,
  FrameAck as Ack,
  FrameFailure as Failure,
  FrameToolCall as ClientToolCall,
  Grant,
  GrantTerms,
  Halt,
  Identity,
  IdentityBody as Login,
  Image as Picture,
  Info as Agent,
  ModeSetting,
  NewTokenBody as NewToken,
  Option,
  Problem,
  Progress,
  Request as ApprovalRequest,
  Response as ApprovalResponse,
  Said,
  Session,
  SessionsBody as SessionPage,
  Snapshot,
  ToolInfo as AgentTool,
  StatsBody as Stats,
  Suggestion,
  ToolCall,
  ToolResult,
  ToolStats,
  Usage,
  VerdictView as Explained,
} from './generated';

export type Capability = wire.FrameHello['capabilities'][number];
export type Role = wire.Identity['roles'][number];
export type Status = wire.Response['status'];
export type Scope = wire.Grant['scope'];
export type Reason = NonNullable<wire.Response['reason']>;
export type RiskLevel = NonNullable<NonNullable<wire.Request['risk']>['level']>;
export type CoverKind = wire.Coverage['kind'];
export type GrantReason = wire.GrantEnd['reason'];
export type Outcome = wire.Ended['outcome'];
export type SessionStatus = wire.Session['status'];
export type AgentMode = wire.Info['mode'];
export type Effect = wire.VerdictView['effect'];

/** What an admin gives to somebody. */
export type AccessGiven = wire.Access & { name: string };
export type AccessChange = wire.Change;

/** A tool as its agent has it, beside the arguments that are edited. */
export type ToolInfo = Pick<wire.Spec, 'name' | 'description' | 'schema'>;

/** So many of the newest sessions are in a snapshot; of the older ones, those that wait or run. */
export const SNAPSHOT_SESSIONS = 50;

interface EventOf<T, D> extends Omit<wire.Event, 'type' | 'data'> {
  type: T;
  data: D;
}

export type SessionEvent = { [T in keyof JournalEvents]: EventOf<T, JournalEvents[T]> }[keyof JournalEvents];

interface FrameOf<E, D> {
  event: E;
  data: D;
  id?: string;
}

type Frames<All> = { [E in keyof All]: FrameOf<E, All[E]> }[keyof All];

export type ServerFrame = Frames<Omit<ServerFrames, 'sessionEvent'> & { sessionEvent: SessionEvent }>;
export type ClientFrame = Frames<ClientFrames>;

export type Right = 'answer' | 'talk' | 'manage' | 'halt';

const rights: Record<Right, Role[]> = {
  answer: ['approver', 'admin'],
  talk: ['operator', 'admin'],
  manage: ['admin'],
  halt: ['approver', 'operator', 'admin'],
};

/** Only for what the page offers; the gateway decides again on every frame. */
export function may(identity: wire.Identity | undefined, right: Right): boolean {
  const roles = identity?.roles ?? [];
  return !roles.includes('agent') && roles.some((role) => rights[right].includes(role));
}
