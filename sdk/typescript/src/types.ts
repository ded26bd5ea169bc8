import type * as wire from "./generated.js";

// The gateway's own types, under the names of the glossary; `wire` has all of them.

export type {
  Approval,
  AskBody,
  Claimed,
  Delta,
  Grant,
  GrantTerms,
  Halt,
  JournalEvents,
  ModeSetting,
  Progress,
  Request as ApprovalRequest,
  Response as ApprovalResponse,
  Result as ToolResult,
  RunBody as RunOf,
  Session,
  Snapshot,
} from "./generated.js";

/** A refusal, with whatever one may tell. */
export type ProblemDocument = wire.Problem &
  wire.AnsweredProblem &
  wire.ModeProblem &
  wire.UnreadyProblem &
  wire.EndedProblem;
export type Status = wire.Response["status"];
export type Scope = wire.Grant["scope"];
export type Reason = NonNullable<wire.Response["reason"]>;

interface EventOf<T, D> extends Omit<wire.Event, "type" | "data"> {
  type: T;
  data: D;
}

/** An event of a session's journal. */
export type SessionEvent = {
  [T in keyof wire.JournalEvents]: EventOf<T, wire.JournalEvents[T]>;
}[keyof wire.JournalEvents];

/** What the gateway sends under each name, on WebSockets and in streams. */
export type ServerData = Omit<wire.ServerFrames, "sessionEvent"> & {
  sessionEvent: SessionEvent;
};
