import { describe, expect, it, vi } from 'vitest';
import { LineFacts } from './lineFacts';

describe('a line', () => {
  it('tells for how long nothing was heard', () => {
    vi.useFakeTimers();
    const facts = new LineFacts();
    facts.heard();
    vi.advanceTimersByTime(5000);
    expect(facts.silentFor()).toBe(5000);
    expect(facts.received).toBe(1);
  });

  it('keeps how the last connection ended when later tries fail', () => {
    const facts = new LineFacts();
    facts.opened();
    facts.closed(1001, 'shutting down');
    facts.closed(1006, '');
    expect(facts.lastClose).toMatchObject({ code: 1001, reason: 'shutting down' });
  });

  it('calls an end without a code abnormal', () => {
    const facts = new LineFacts();
    facts.opened();
    facts.closed('close', new Event('close')); // what partysocket makes of an end of its own in a browser
    expect(facts.lastClose).toMatchObject({ code: 1006, reason: '' });
  });

  it('notices that somebody has set the clock, and not that time goes by', () => {
    vi.useFakeTimers();
    const facts = new LineFacts();
    facts.welcomed('lineclear.v1', '1.0.0');
    vi.advanceTimersByTime(3_600_000);
    expect(facts.clockWasMoved()).toBe(false);
    vi.setSystemTime(Date.now() + 60_000);
    expect(facts.clockWasMoved()).toBe(true);
    facts.welcomed('lineclear.v1', '1.0.0');
    expect(facts.clockWasMoved()).toBe(false);
  });
});
