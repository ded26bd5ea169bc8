/** An event as text/event-stream has it. */
export interface RawEvent {
  event: string;
  data: string;
  /** The newest id so far; empty without one. */
  lastEventId: string;
}

// More than the longest line that the gateway sends.
const longestLine = 16 << 20;

/** Takes a text/event-stream apart (WHATWG HTML, section 9.2), however it was cut up on the way. */
export class EventStream {
  private line = '';
  private afterCR = false; // a line feed that comes next belongs to the line that is over
  private event = '';
  private data: string[] = [];
  private lastEventId = '';

  /** Takes text, without the byte order mark, and returns the events that are whole by now. */
  take(text: string): RawEvent[] {
    const events: RawEvent[] = [];
    let from = this.afterCR && text.startsWith('\n') ? 1 : 0;
    if (text) this.afterCR = text.endsWith('\r');
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      const event = this.over(this.line + text.slice(from, end.index));
      if (event) events.push(event);
      this.line = '';
      from = ends.lastIndex;
    }
    this.line += text.slice(from);
    if (this.line.length > longestLine) throw new Error(`a line of more than ${longestLine} characters`);
    return events;
  }

  /** Takes one line; the event, where the line ends one. */
  private over(line: string): RawEvent | undefined {
    if (line === '') return this.dispatch();
    const [, field = line, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') this.event = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.lastEventId = value;
    return undefined; // comments, and retry: the client has pauses of its own
  }

  private dispatch(): RawEvent | undefined {
    const { event, data, lastEventId } = this;
    this.event = '';
    this.data = [];
    if (data.length === 0) return undefined;
    return { event: event || 'message', data: data.join('\n'), lastEventId };
  }
}
