import type { ServerData, wire } from 'lineclear';

// The frames and objects of docs/protocol.md, as the dashboard names them. They are the gateway's own types: make web-types.

export { PROTOCOL } from 'lineclear';
export type {
  Approval,
  ApprovalRequest,
  ApprovalResponse,
  Delta,
  Grant,
  GrantTerms,
  Halt,
  ModeSetting,
  Progress,
  Reason,
  Scope,
  Session,
  SessionEvent,
  Snapshot,
  Status,
} from 'lineclear';
export type ClusterNode = wire.Node;
export type AgentPolicy = wire.AgentPolicy;
export type AnswerData = wire.Answer;
export type Approvers = wire.Approvers;
export type AssistantMessage = wire.AssistantMessage;
export type BelowRequest = wire.BelowRequest;
export type BelowResponse = wire.BelowResponse;
export type By = wire.By;
export type Calls = wire.Calls;
export type CommandPart = wire.Command;
export type Coverage = wire.Coverage;
export type Credential = wire.Credential;
export type DayStats = wire.DayStats;
export type WaitingTerminal = wire.Device;
export type Ack = wire.FrameAck;
export type Failure = wire.FrameFailure;
export type Extended = wire.Extended;
export type ClientToolCall = wire.FrameToolCall;
export type Identity = wire.Identity;
export type Login = wire.IdentityBody;
export type Invitation = wire.Invitation;
export type LoginEnd = wire.LoginEnd;
export type Picture = wire.Image;
export type Agent = wire.Info;
export type NewToken = wire.NewTokenBody;
export type Option = wire.Option;
export type Origin = wire.Origin;
export type Said = wire.Said;
export type SessionPage = wire.SessionsBody;
export type AgentTool = wire.ToolInfo;
export type Stats = wire.StatsBody;
export type Suggestion = wire.Suggestion;
export type ToolCall = wire.ToolCall;
export type ToolResult = wire.ToolResult;
export type ToolStats = wire.ToolStats;
export type Usage = wire.Usage;
export type Explained = wire.Explained;
export type Listed = wire.Listed;
export type Nearest = wire.Nearest;
export type Proposal = wire.Proposal;
export type Sentence = readonly wire.Part[];

export type Capability = wire.FrameHello['capabilities'][number];
export type Role = wire.Identity['roles'][number];
export type RiskLevel = NonNullable<NonNullable<wire.Request['risk']>['level']>;
export type CoverKind = wire.Coverage['kind'];
export type GrantReason = wire.GrantEnd['reason'];
export type Outcome = wire.Ended['outcome'];
export type SessionStatus = wire.Session['status'];
export type AgentMode = wire.Info['mode'];
export type Effect = wire.Explained['effect'];

/** What an admin gives to somebody. */
export type AccessGiven = wire.Access & { name: string };
export type AccessChange = wire.Change;

/** A tool as its agent has it, beside the arguments that are edited. */
export type ToolInfo = Pick<wire.Spec, 'name' | 'description' | 'schema'>;

/** So many of the newest sessions are in a snapshot; of the older ones, those that wait or run. */
export const SNAPSHOT_SESSIONS = 50;

interface FrameOf<E, D> {
  event: E;
  data: D;
  id?: string;
}

type Frames<All> = { [E in keyof All]: FrameOf<E, All[E]> }[keyof All];

export type ServerFrame = Frames<ServerData>;
export type ClientFrame = Frames<wire.ClientFrames>;

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
