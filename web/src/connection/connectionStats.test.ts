import { describe, expect, it, vi } from 'vitest';
import { ConnectionStats } from './connectionStats';

describe('a line', () => {
  it('tells for how long nothing was heard', () => {
    vi.useFakeTimers();
    const stats = new ConnectionStats();
    stats.heard();
    vi.advanceTimersByTime(5000);
    expect(stats.silentFor()).toBe(5000);
    expect(stats.received).toBe(1);
  });

  it('keeps how the last connection ended when later tries fail', () => {
    const stats = new ConnectionStats();
    stats.opened();
    stats.closed(1001, 'shutting down');
    stats.closed(1006, '');
    expect(stats.lastClose).toMatchObject({ code: 1001, reason: 'shutting down' });
  });

  it('calls an end without a code abnormal', () => {
    const stats = new ConnectionStats();
    stats.opened();
    stats.closed('close', new Event('close')); // what partysocket makes of an end of its own in a browser
    expect(stats.lastClose).toMatchObject({ code: 1006, reason: '' });
  });

  it('notices that somebody has set the clock, and not that time goes by', () => {
    vi.useFakeTimers();
    const stats = new ConnectionStats();
    stats.welcomed('lineclear.v1', '1.0.0');
    vi.advanceTimersByTime(3_600_000);
    expect(stats.clockWasMoved()).toBe(false);
    vi.setSystemTime(Date.now() + 60_000);
    expect(stats.clockWasMoved()).toBe(true);
    stats.welcomed('lineclear.v1', '1.0.0');
    expect(stats.clockWasMoved()).toBe(false);
  });
});
