import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventStream, type RawEvent } from '../src/eventStream.js';

const message = (data: string, lastEventId = '', event = 'message'): RawEvent => ({
  event,
  data,
  lastEventId,
});

// After WHATWG HTML, section 9.2.
const rows: [string, string, RawEvent[]][] = [
  ['an event of its own kind', 'event: mode\ndata: {}\n\n', [message('{}', '', 'mode')]],
  ['carriage returns', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
  [
    'carriage returns with line feeds',
    'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n',
    [message('a\nb'), message('c')],
  ],
  ['all ends of lines in one', 'data: a\rdata: b\ndata: c\r\n\n', [message('a\nb\nc')]],
  ['several lines of data', 'data: a\ndata\ndata: b\n\n', [message('a\n\nb')]],
  ['one space less', 'data:a\n\ndata:  b\n\n', [message('a'), message(' b')]],
  ['a colon in the value', 'data: a: b\n\n', [message('a: b')]],
  ['comments and fields that are unknown', ': data: x\nretry: 1\nother: y\n\ndata: a\n\n', [message('a')]],
  ['no data, so no event and no kind', 'event: mode\n\ndata: a\n\n', [message('a')]],
  [
    'an id that holds until the next',
    'id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
    [message('a', '7'), message('b', '7'), message('c')],
  ],
  [
    'an id with NUL, which is not valid',
    'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n',
    [message('a', '1'), message('b', '1')],
  ],
  ['an event that broke off', 'data: a\n\ndata: b\n', [message('a')]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [message('a')]],
  ['letters of several bytes', 'data: ⟦masked⟧ 🚂 é\n\n', [message('⟦masked⟧ 🚂 é')]],
];

function read(chunks: Uint8Array[]): RawEvent[] {
  const events = new EventStream();
  const text = new TextDecoder();
  return chunks.flatMap((chunk) => events.take(text.decode(chunk, { stream: true })));
}

describe('a stream of events has', () => {
  for (const [name, text, events] of rows) {
    it(`${name}, wherever it is cut`, () => {
      const bytes = new TextEncoder().encode(text);
      assert.deepEqual(read([bytes]), events);
      assert.deepEqual(read(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))), events);
      for (let a = 0; a <= bytes.length; a++) {
        for (let b = a; b <= bytes.length; b++) {
          const cut = [bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)];
          assert.deepEqual(read(cut), events, `cut at ${a} and ${b}`);
        }
      }
    });
  }

  it('its events as soon as they are whole', () => {
    assert.deepEqual(read([new TextEncoder().encode('data: a\r\n\r')]), [message('a')]);
  });
});
