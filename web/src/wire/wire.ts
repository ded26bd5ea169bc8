// The frames and objects of docs/protocol.md, as they stand on the wire.

export type Role = 'viewer' | 'approver' | 'operator' | 'admin' | 'agent';

export interface Identity {
  subject: string;
  roles: Role[];
  agents?: string[]; // the only ones that it is for; none: all
}

/** Who may approve: one of the people or roles, where there are any, and nobody who asked. */
export interface Approvers {
  rule?: string;
  subjects?: string[];
  roles?: Role[];
  notSender?: boolean;
}

export type Status = 'approved' | 'denied' | 'cancelled';

export type Scope = 'once' | 'session' | 'always';

export type Reason =
  | 'user_denied'
  | 'policy_denied'
  | 'timeout'
  | 'validation_failed'
  | 'no_handler'
  | 'handler_failed'
  | 'too_many_pending'
  | 'user_cancelled'
  | 'system_cancelled'
  | 'superseded';

export type RiskLevel = 'low' | 'medium' | 'high' | 'critical';

export type CoverKind = 'exact' | 'command' | 'path' | 'tool';

/** What an approval for the session may remember. */
export interface Coverage {
  kind: CoverKind;
  text: string;
  command?: string[];
  paths?: string[];
}

/** What is to be remembered, as it is sent; no limit where one is left out. */
export interface GrantTerms {
  covers?: CoverKind;
  seconds?: number;
  uses?: number;
}

export interface By {
  subject: string;
  via: string;
}

/** One part of a command line, and what it does. */
export interface CommandPart {
  text: string;
  risk?: RiskLevel;
  does?: string[];
}

/** What was said before a call, shortened. */
export interface Said {
  role: string;
  text: string;
  omitted?: number; // characters left out at the end
}

export interface ApprovalRequest {
  approvalId: string;
  sessionId: string;
  agentId: string;
  type: 'tool_confirmation' | 'elicitation' | 'custom';
  toolName?: string;
  toolDigest?: string;
  toolCallId?: string;
  round?: number;
  args?: unknown;
  argsDigest: string;
  hasSecrets?: boolean;
  workingDirectory?: string;
  message?: string;
  /** How the command would run; not there for what runs none, or elsewhere. */
  sandbox?: { kind: string; network?: boolean; write?: string[] };
  approvers?: Approvers[]; // every one of them has to be satisfied
  sentBy?: string[]; // whose messages the agent is at work on
  preview?: { fileHash?: string; diff?: string; omitted?: number };
  risk?: { level?: RiskLevel; reasons?: string[] };
  policy?: { rule?: string; trace?: string[] };
  scopes: Scope[] | null;
  covers?: Coverage[] | null;
  schema?: unknown;
  metadata?: Record<string, string>;
  commands?: CommandPart[] | null;
  context?: Said[] | null;
  origin?: { kind?: string; client?: string; subject?: string; parent?: string };
  requestedAt: string;
  expiresAt?: string;
  rev: number;
}

export interface ApprovalResponse {
  approvalId: string;
  sessionId?: string;
  status: Status;
  reason?: Reason;
  message?: string;
  scope?: Scope;
  grant?: GrantTerms;
  grantId?: string;
  edit?: unknown;
  formData?: unknown;
  argsDigest?: string;
  by?: By;
  at?: string;
  rev?: number;
}

export type GrantReason =
  'revoked' | 'session_ended' | 'expired' | 'used_up' | 'crowded_out' | 'tool_changed' | 'forgotten';

/** A remembered approval. */
export interface Grant {
  grantId: string;
  scope: Scope;
  agentId: string;
  sessionId: string;
  toolName: string;
  covers: Coverage;
  argsDigest?: string;
  toolDigest?: string;
  approvalId: string;
  givenBy: By;
  givenAt: string;
  expiresAt?: string;
  maxUses?: number;
  uses: number;
  ended?: { reason: GrantReason; by: By; at: string };
}

export type Outcome = 'completed' | 'cancelled' | 'error';

export type SessionStatus = 'idle' | 'active' | 'waiting_approval' | 'completed' | 'error' | 'cancelled';

export interface Session {
  sessionId: string;
  agentId: string;
  kind: 'agent' | 'external';
  title?: string;
  createdAt: string;
  createdBy?: string;
  ended?: Outcome;
  status: SessionStatus;
  turnOpen?: boolean;
  seq: number;
  usage?: Usage;
}

/** What a model's replies have cost. Nothing is left out but zeros. */
export interface Usage {
  input?: number; // tokens read, the cached ones included
  cached?: number;
  output?: number;
  cost?: number; // in the currency of the prices in agents.yaml
}

export interface ToolCall {
  toolCallId: string;
  providerId?: string;
  toolName: string;
  args: unknown;
}

export interface ToolResult {
  toolCallId: string;
  approvalId?: string;
  toolName: string;
  result: { text: string; structured?: unknown; images?: Picture[]; isError?: boolean };
}

/** A picture that a tool has made. */
export interface Picture {
  mime: string;
  data: string; // base64
}

/** One whole reply of the model. */
export interface AssistantMessage {
  messageId: string;
  seen: number;
  text?: string;
  toolCalls?: ToolCall[];
  reasoning?: string;
  stop?: string; // why it ended early: length or refused
  usage?: Usage;
}

interface EventOf<T extends string, D> {
  session: string;
  seq: number;
  type: T;
  at: string;
  data: D;
}

export type SessionEvent =
  | EventOf<'session.created', { session: Session }>
  | EventOf<'session.ended', { outcome: Outcome; by?: string }>
  | EventOf<'turn.started', { turnId: string }>
  | EventOf<'turn.finished', { turnId: string; outcome: Outcome; message?: string; usage?: Usage }>
  | EventOf<'message.user', { text: string; by?: string }>
  | EventOf<'message.assistant', AssistantMessage>
  | EventOf<'approval.requested', ApprovalRequest>
  | EventOf<'approval.resolved', ApprovalResponse>
  | EventOf<'approval.voided', ApprovalResponse>
  | EventOf<'grant.given', Grant>
  | EventOf<'grant.ended', Grant>
  | EventOf<'tool.result', ToolResult>;

/** A call of a tool that runs in this tab. */
export interface ClientToolCall {
  toolCallId: string;
  sessionId: string;
  agentId: string;
  toolName: string;
  args: unknown;
  expiresAt?: string;
}

export interface Delta {
  session: string;
  messageId: string;
  offset: number;
  text: string;
}

/** How far a call is that runs, in units of the tool's own. */
export interface Progress {
  session: string;
  toolCallId: string;
  done: number;
  total?: number; // absent: not known
  message?: string;
}

export type ErrorCode =
  | 'bad_frame'
  | 'unknown_event'
  | 'invalid'
  | 'forbidden'
  | 'unknown_approval'
  | 'unknown_session'
  | 'unknown_agent'
  | 'unknown_call'
  | 'foreign_session'
  | 'digest_mismatch'
  | 'already_decided'
  | 'expired'
  | 'session_ended'
  | 'unavailable';

export interface Failure {
  code: ErrorCode;
  message: string;
  response?: ApprovalResponse;
}

export interface Ack {
  response?: ApprovalResponse;
  seq?: number;
}

/** A page of what is the case when a tab connects. Nothing is forgotten before the last one. */
export interface Snapshot {
  pending: ApprovalRequest[];
  sessions: Session[];
  more: boolean;
}

/** So many of the newest sessions are in a snapshot; of the older ones, those that wait or run. */
export const SNAPSHOT_SESSIONS = 50;

interface FrameOf<E extends string, D> {
  event: E;
  data: D;
  id?: string;
}

export type ServerFrame =
  | FrameOf<'welcome', { serverTime: string; identity: Identity; protocol: string; version?: string }>
  | FrameOf<'snapshot', Snapshot>
  | FrameOf<'approvalRequest', ApprovalRequest>
  | FrameOf<'approvalResponse', ApprovalResponse>
  | FrameOf<'sessionEvent', SessionEvent>
  | FrameOf<'delta', Delta>
  | FrameOf<'progress', Progress>
  | FrameOf<'toolCall', ClientToolCall>
  | FrameOf<'toolCancel', { toolCallId: string }>
  | FrameOf<'mode', ModeSetting>
  | FrameOf<'presence', { approvalId: string; viewers: string[] }>
  | FrameOf<'ack', Ack>
  | FrameOf<'error', Failure>;

/** What a person's answer carries; the gateway adds who, when and through which door. */
export interface AnswerData {
  approvalId: string;
  sessionId: string;
  status: Status;
  argsDigest: string;
  scope?: Scope;
  grant?: GrantTerms;
  message?: string;
  edit?: unknown;
  formData?: unknown;
}

export type ClientFrame =
  | FrameOf<'hello', { client: string; capabilities: string[]; tools: string[] }>
  | FrameOf<'subscribe', { session: string; after: number }>
  | FrameOf<'approvalResponse', AnswerData>
  | FrameOf<'message', { sessionId: string; text: string; seen: number }>
  | FrameOf<'cancel', { sessionId: string }>
  | FrameOf<'viewing', { approvalId: string }>
  | FrameOf<'toolStart', { toolCallId: string }>
  | FrameOf<'toolResult', { toolCallId: string } & ({ result: unknown } | { error: string })>;

export type AgentMode = 'manual' | 'auto-approve' | 'auto-deny';

export interface Agent {
  agentId: string;
  description?: string;
  mode: AgentMode;
  modeVersion: number;
  modeSetBy?: string;
  tools?: AgentTool[] | null;
}

/** A tool of an agent. */
export interface AgentTool {
  name: string;
  description?: string;
  schema?: unknown;
  command?: { line?: string; argv?: string }; // the argument that is a command
  paths?: string[] | null; // the arguments that are paths
  hints?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
}

/** A tool as its agent has it, beside the arguments that are edited. */
export interface ToolInfo {
  name: string;
  description?: string;
  schema?: unknown;
}

/** What stands after somebody set an agent's mode. */
export interface ModeSetting {
  agentId: string;
  mode: AgentMode;
  version: number;
  setBy?: By;
  setAt?: string;
}

/** A rule that would have cleared a request, and what it would have done to earlier calls. */
export interface Suggestion {
  covers: Coverage;
  rule: string;
  matched: number;
  denied: number;
}

export const PROTOCOL = 'lineclear.v1';

export type Right = 'answer' | 'talk' | 'manage';

const rights: Record<Right, Role[]> = {
  answer: ['approver', 'admin'],
  talk: ['operator', 'admin'],
  manage: ['admin'],
};

/** Only for what the page offers; the gateway decides again on every frame. */
export function may(identity: Identity | undefined, right: Right): boolean {
  const roles = identity?.roles ?? [];
  return !roles.includes('agent') && roles.some((role) => rights[right].includes(role));
}
