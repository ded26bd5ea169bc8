import { useSyncExternalStore } from 'react';

// One ticker for the whole page, and only while something counts down.
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((l) => l()), 250);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** Whole seconds until the deadline by the gateway's clock; undefined without one. */
export function secondsLeft(
  expiresAt: string | undefined,
  clockOffset: number,
  now: number,
): number | undefined {
  if (!expiresAt) return undefined;
  const left = Date.parse(expiresAt) - (now + clockOffset);
  return Math.max(0, Math.ceil(left / 1000));
}

/** Counts down to an absolute instant; every tab arrives at zero together. */
export function useSecondsLeft(expiresAt: string | undefined, clockOffset: number): number | undefined {
  return useSyncExternalStore(subscribe, () => secondsLeft(expiresAt, clockOffset, Date.now()));
}

const still = () => () => undefined;

/** The time by this machine's clock; it moves on, second by second, only while that is wanted. */
export function useTicking(wanted: boolean): number {
  return useSyncExternalStore(wanted ? subscribe : still, () => Math.floor(Date.now() / 1000) * 1000);
}

/** Whether little time is left (in seconds): two minutes, or a quarter of the whole time if that is less. */
export function isUrgent(
  { requestedAt, expiresAt }: { requestedAt: string; expiresAt?: string },
  left: number | undefined,
): boolean {
  if (!expiresAt || left === undefined) return false;
  const whole = (Date.parse(expiresAt) - Date.parse(requestedAt)) / 1000;
  return left <= Math.min(120, whole / 4);
}

/** 59 → "0:59", 3700 → "1:01:40". */
export function formatSeconds(total: number): string {
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = String(total % 60).padStart(2, '0');
  if (hours === 0) return `${minutes}:${seconds}`;
  return `${hours}:${String(minutes).padStart(2, '0')}:${seconds}`;
}

/** 12:58, or 12:58:20 with seconds. */
export function formatClock(at: string, second?: '2-digit'): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second });
}

export function formatTime(at: string | undefined): string {
  if (!at) return '';
  const time = new Date(at);
  const today = time.toDateString() === new Date().toDateString();
  const clock = formatClock(at, '2-digit');
  return today
    ? clock
    : `${time.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${clock}`;
}
