import { isObject } from '../wire/json';
import type { ApprovalRequest } from '../wire/wire';
import { commandIn } from './arguments';

// Easy to type, hard to mistake.
const typable = /^[A-Za-z0-9][A-Za-z0-9._/:@-]{2,59}$/;

// If nothing in it sets it apart, the command itself: rm -rf /
const shortEnough = /^[ -~]{3,40}$/;

/**
 * What a person types to approve a critical call: something specific to it, such as its
 * host or path. A name that is always the same gets typed without reading.
 */
export function wordToType(request: ApprovalRequest): string {
  const { words, whole } = candidates(request);
  return (
    words.find((word) => typable.test(word)) ??
    whole.find((text) => shortEnough.test(text)) ??
    (request.toolName || request.agentId)
  );
}

function candidates(request: ApprovalRequest): { words: string[]; whole: string[] } {
  const { args, commands = [] } = request;
  if (!isObject(args)) return { words: [], whole: [] };
  const name = commandIn(request);
  if (!name) return { words: Object.values(args).filter((v) => typeof v === 'string'), whole: [] };
  const line = String(args[name]);
  const risky = commands.filter((c) => c.risk === 'critical' && line.includes(c.text)).map((c) => c.text);
  const words = [...risky, line].flatMap((text) => text.split(/[\s"'();|&<>]+/));
  const hosts = words.flatMap((word) => /^[a-z][a-z0-9+]*:\/\/(?:[^/@]*@)?([^/@:]+)/i.exec(word)?.[1] ?? []);
  const paths = words.filter((word) => /^[^-:]*\//.test(word)).map((word) => word.replace(/^\.?\/+/, ''));
  const rest = words.slice(1).filter((word) => !word.startsWith('-'));
  return {
    words: [...hosts, ...paths, ...rest.reverse()],
    whole: [...risky, line].map((text) => text.trim()),
  };
}
