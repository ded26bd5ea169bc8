import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gateway, page, storeOf } from '../test/page';
import type { Role } from '../wire/wire';
import { Alerts } from './Alerts';
import { alertSettings, setAlertSettings } from './alertSettings';
import { NotificationSettings } from './NotificationSettings';
import { pushState, turnOffPush } from './push';
import { PushOffer } from './PushOffer';

const key = 'BAAA_-8'; // base64url
const at = (name: string) => `https://push.example.com/${name}`;

// Taken back after each test, unlike what the other tests stand on.
const stub = (name: string, value: unknown) =>
  Object.defineProperty(window, name, { value, configurable: true });

/** A browser that can be called, and how often it has subscribed. */
function browser({ granted = true, subscribed = '', fails = '' } = {}) {
  let current = subscribed && made(subscribed);
  const keys: unknown[] = [];
  function made(endpoint: string) {
    const toJSON = () => ({ endpoint, expirationTime: null, keys: { p256dh: 'P', auth: 'A' } });
    return { endpoint, toJSON, unsubscribe: vi.fn(() => ((current = ''), Promise.resolve(true))) };
  }
  const pushManager = {
    getSubscription: () => Promise.resolve(current || null),
    subscribe: vi.fn((options: { userVisibleOnly: boolean; applicationServerKey: Uint8Array }) => {
      if (fails) return Promise.reject(new Error(fails));
      keys.push([options.userVisibleOnly, ...options.applicationServerKey]);
      return Promise.resolve((current = made(at('new'))));
    }),
  };
  const registration = { pushManager, getNotifications: () => Promise.resolve([]), unregister: vi.fn() };
  const worker = Object.assign(new EventTarget(), {
    register: () => Promise.resolve(registration),
    ready: Promise.resolve(registration),
    getRegistration: () => Promise.resolve(registration),
  });
  Object.defineProperty(navigator, 'serviceWorker', { value: worker, configurable: true });
  stub('PushManager', class {});
  stub('Notification', {
    permission: granted ? 'granted' : 'denied',
    requestPermission: () => Promise.resolve(granted ? 'granted' : 'denied'),
  });
  return { pushManager, keys };
}

const server = (endpoint?: string) =>
  gateway({
    'GET /api/push': () => ({ body: { on: true, publicKey: key, ...(endpoint && { endpoint }) } }),
    'POST /api/push/subscriptions': () => ((endpoint = at('new')), {}),
    'DELETE /api/push/subscriptions': () => ((endpoint = undefined), {}),
  });

const changes = (asked: { what: string }[]) => asked.filter((a) => !a.what.startsWith('GET'));
const subscribing = {
  what: 'POST /api/push/subscriptions',
  body: { endpoint: at('new'), keys: { p256dh: 'P', auth: 'A' } },
};

beforeEach(() => {
  stub('isSecureContext', true);
  setAlertSettings({ notifications: false, push: '', offered: false });
});

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker');
  for (const name of ['PushManager', 'Notification', 'isSecureContext']) Reflect.deleteProperty(window, name);
});

const setting = () =>
  screen.getByRole<HTMLInputElement>('switch', { name: /^Also when this page is closed/ });
const settings = (...roles: Role[]) =>
  page(storeOf(roles.length > 0 ? roles : ['admin']), <NotificationSettings />);

describe('the switch', () => {
  it('subscribes this browser with the gateway’s key, and ends that', async () => {
    const { keys } = browser();
    const asked = server();
    settings();
    await waitFor(() => expect(setting().disabled).toBe(false));
    expect(changes(asked)).toEqual([]);
    fireEvent.click(setting());
    await waitFor(() => expect(setting().checked).toBe(true));
    expect(keys).toEqual([[true, 4, 0, 0, 255, 239]]);
    expect(changes(asked)).toEqual([subscribing]);
    expect(alertSettings()).toMatchObject({ notifications: true, push: 'ada', offered: true });
    fireEvent.click(setting());
    await waitFor(() => expect(setting().checked).toBe(false));
    expect(changes(asked).at(-1)).toEqual({ what: 'DELETE /api/push/subscriptions' });
  });

  it('is turned off with the notifications of open tabs', async () => {
    browser();
    const asked = server();
    setAlertSettings({ notifications: true, push: 'ada' });
    settings();
    fireEvent.click(screen.getByRole('switch', { name: /^Show desktop notifications/ }));
    await waitFor(() => expect(changes(asked).at(-1)).toEqual({ what: 'DELETE /api/push/subscriptions' }));
    expect(alertSettings()).toMatchObject({ notifications: false, push: '' });
  });

  it.each([
    ['without https', () => void stub('isSecureContext', false), /only over https/],
    ['in a browser that can’t', () => void Reflect.deleteProperty(window, 'PushManager'), /Home Screen/],
    [
      'where the operator says no',
      () => void gateway({ 'GET /api/push': { body: { on: false } } }),
      /turned this off/,
    ],
  ])('says why it is not there %s', async (_, make, why) => {
    browser();
    server();
    make();
    settings();
    await screen.findByText(why);
    expect(setting().disabled).toBe(true);
  });

  it('is for who may answer', async () => {
    browser();
    server();
    settings('viewer');
    await screen.findByText(/people who may answer/);
    expect(setting().disabled).toBe(true);
  });

  it.each([
    ['the browser does not allow it', { granted: false }, /blocks notifications/],
    ['there is no push service', { fails: 'push service not available' }, /push service not available/],
  ])('says so where %s', async (_, able, why) => {
    browser(able);
    const asked = server();
    settings();
    await waitFor(() => expect(setting().disabled).toBe(false));
    fireEvent.click(setting());
    await screen.findByText(why);
    expect(setting().checked).toBe(false);
    expect(changes(asked)).toEqual([]);
  });

  it('says when the gateway does not reach this browser', async () => {
    browser({ granted: false });
    server(at('another'));
    setAlertSettings({ notifications: true, push: 'ada' });
    settings();
    await screen.findByText(/can’t reach this browser/);
  });
});

it('is turned off for good while it is being made again', async () => {
  const { pushManager } = browser();
  const asked = server();
  let made = () => undefined as void;
  const wait = new Promise<void>((resolve) => (made = resolve));
  const subscribe = pushManager.subscribe.getMockImplementation()!;
  pushManager.subscribe.mockImplementation((options) => wait.then(() => subscribe(options)));
  setAlertSettings({ notifications: true, push: 'ada' });
  page(storeOf(), <Alerts />);
  await waitFor(() => expect(pushManager.subscribe).toHaveBeenCalled());
  const off = turnOffPush();
  await pushState();
  made();
  await off;
  expect(changes(asked).map((a) => a.what)).toEqual([subscribing.what, 'DELETE /api/push/subscriptions']);
});

describe('a subscription', () => {
  const open = () => page(storeOf(), <Alerts />);

  it.each([
    ['after a new login', undefined, at('old')],
    ['when the browser has another', at('old'), at('other')],
    ['when the browser has none', at('old'), ''],
  ])('is made again %s', async (_, known, subscribed) => {
    browser({ subscribed });
    const asked = server(known);
    setAlertSettings({ notifications: true, push: 'ada' });
    open();
    await waitFor(() => expect(changes(asked)).toEqual([subscribing]));
  });

  it.each([
    ['that is as the gateway knows it', 'ada', at('same')],
    ['of somebody else, who was here before', 'ben', at('other')],
    ['that nobody has asked for', '', at('other')],
  ])('is left alone %s', async (_, push, subscribed) => {
    const { pushManager } = browser({ subscribed });
    const asked = server(at('same'));
    setAlertSettings({ notifications: true, push });
    open();
    await pushState(); // after which the page would have asked, too
    expect(asked).toHaveLength(push === 'ada' ? 2 : 1);
    expect(changes(asked)).toEqual([]);
    expect(pushManager.subscribe).not.toHaveBeenCalled();
  });
});

describe('the offer', () => {
  const offer = (...roles: Role[]) => page(storeOf(roles.length > 0 ? roles : ['admin']), <PushOffer />);

  it('is taken by a press', async () => {
    browser();
    const asked = server();
    offer();
    fireEvent.click(await screen.findByRole('button', { name: 'Turn on' }));
    expect((await screen.findByRole('status')).textContent).toContain('This browser will call you');
    expect(changes(asked)).toEqual([subscribing]);
    expect(alertSettings()).toMatchObject({ push: 'ada', offered: true });
  });

  it('is made once', async () => {
    browser();
    const asked = server();
    offer();
    fireEvent.click(await screen.findByRole('button', { name: 'Not now' }));
    expect(screen.queryByTestId('push-offer')).toBeNull();
    expect(alertSettings()).toMatchObject({ push: '', offered: true });
    offer();
    expect(screen.queryByTestId('push-offer')).toBeNull();
    expect(changes(asked)).toEqual([]);
  });

  it('stays where it failed, and says why', async () => {
    browser({ fails: 'no push service' });
    server();
    offer();
    fireEvent.click(await screen.findByRole('button', { name: 'Turn on' }));
    await screen.findByText(/no push service/);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Not now' }).disabled).toBe(false);
  });

  it('is not made to who may not answer, or where it can’t be kept', async () => {
    browser();
    const asked = server();
    offer('viewer');
    await pushState(); // after which the page would have asked, too
    expect(asked).toHaveLength(1);
    stub('isSecureContext', false);
    offer();
    await Promise.resolve();
    expect(screen.queryByTestId('push-offer')).toBeNull();
  });
});
