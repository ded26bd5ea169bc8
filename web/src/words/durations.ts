import { plural } from './plural';

/** How long it is, roughly: 45 seconds, 2 hours, 30 days. */
export function roughDuration(seconds: number): string {
  if (seconds < 120) return plural(seconds, 'second', 'seconds');
  if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute', 'minutes');
  if (seconds < 172_800) return plural(Math.round(seconds / 3600), 'hour', 'hours');
  return plural(Math.round(seconds / 86_400), 'day', 'days');
}

/** How long something took: 0.4 s, 12 s, 3 min 5 s. */
export function formatDuration(seconds: number): string {
  if (seconds < 10)
    return `${seconds.toLocaleString('en', { maximumFractionDigits: seconds < 1 ? 2 : 1 })} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

export const durations = {
  took: (time: string) => `took ${time}`,
  after: (time: string) => `after ${time}`,
};
