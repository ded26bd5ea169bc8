import type {
  AgentMode,
  ApprovalRequest,
  ApprovalResponse,
  CommandPart,
  Coverage,
  Reason,
  Role,
  Status,
} from './wire';

// What only the pages of the past and the rules ask for, by REST; see docs/protocol.md.

/** A token, or the login of a browser or terminal. */
export interface Credential {
  id: string;
  kind: 'token' | 'login' | 'terminal';
  name?: string;
  subject: string;
  roles: Role[];
  agents?: string[];
  by?: string;
  from?: string; // the credential that created it; both end together
  createdAt: string;
  expiresAt?: string;
}

/** A terminal that is waiting to log in. */
export interface WaitingTerminal {
  userCode: string;
  name: string;
  address: string;
  askedAt: string;
  expiresAt: string;
}

/** What an admin gives to somebody. */
export interface AccessGiven {
  name: string;
  roles: Role[];
  agents?: string[];
  expiresAt?: string;
}

export type AccessChange = Partial<AccessGiven>;

/** A request with what became of it. */
export interface Approval extends ApprovalRequest {
  status: Status | 'pending';
  run?: 'none' | 'claimed' | 'finished' | 'void';
  response?: ApprovalResponse;
  voided?: ApprovalResponse;
}

export type Effect = 'allow' | 'ask' | 'deny';

/** The rules of an agent, those that deny first. */
export interface AgentPolicy {
  agentId: string;
  mode: AgentMode;
  rules: { rule: string; effect: Effect; scope: 'gateway' | 'agent'; text: string }[] | null;
}

/** What would be decided about a call. */
export interface Explained {
  effect: Effect;
  policy?: { rule?: string; trace?: string[] | null };
  risk?: ApprovalRequest['risk'];
  covers?: Coverage[] | null;
  commands?: CommandPart[] | null;
}

/** Counts of the requests since a time; waits are in seconds. */
export interface Stats {
  since: string;
  requests: number;
  partial?: boolean;
  byStatus: Partial<Record<Status | 'pending', number>>;
  byReason: Partial<Record<Reason, number>>;
  byPolicy: number;
  byGrant: number;
  byPerson?: number;
  timeouts: number;
  waits: { median: number; p90: number; max: number };
  tools: ToolStats[] | null;
  people: { subject: string; approved: number; denied: number; medianWait: number }[] | null;
  days: DayStats[] | null;
}

export interface ToolStats {
  toolName: string;
  requests: number;
  approved: number;
  denied: number;
  timeouts: number;
  medianWait: number;
}

export interface DayStats {
  day: string;
  approved: number;
  denied: number;
  other: number;
}
