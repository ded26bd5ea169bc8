const minute = 60_000;
const day = 24 * 60 * minute;

/** The time of day without seconds: 03:03. */
export const clockTime = (at: number) =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });

const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);

// Rounded: days on which clocks change don't have 24 hours.
const daysBetween = (from: number, to: number) => Math.round((midnight(to) - midnight(from)) / day);

/** today, 03:03; yesterday, 12:30; tomorrow, 12:30; 28 Nov, 12:30. */
export function dayTime(at: number, now: number): string {
  const away = daysBetween(at, now);
  const near = { 0: 'today', 1: 'yesterday', [-1]: 'tomorrow' }[away];
  const date = new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  return `${near ?? date}, ${clockTime(at)}`;
}

/** How long ago something was: 20 min ago; today, 03:03; yesterday, 12:30; 12 days ago. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / minute);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return daysAgo(at, now);
}

/** When something was last used: now; today, 03:03; yesterday, 12:30; 12 days ago. Known to the minute. */
export function lastUse(at: number, now: number): string {
  return now - at < 2 * minute ? 'now' : daysAgo(at, now);
}

function daysAgo(at: number, now: number): string {
  const days = daysBetween(at, now);
  return days < 2 ? dayTime(at, now) : `${days} days ago`;
}
