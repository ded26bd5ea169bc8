import { useContext, useState } from 'react';
import { api } from '../wire/api';
import { useConnection } from '../connection/context';
import { go } from '../browser/route';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { Composer } from './Composer';
import { InHeader } from '../ui/InHeader';
import { Logo } from '../ui/Logo';
import { ModeControl } from '../agents/ModeControl';
import { Revealed } from '../ui/Revealed';
import { visibleText } from '../ui/hiddenCharacters';
import { firstWords } from '../ui/sessionTitle';
import classes from './newSession.module.css';
import frame from '../ui/page.module.css';

/** A session that begins with its first message, whose first words become its title. */
export default function NewSessionView({ agentId }: { agentId: string }) {
  const store = useContext(StoreContext);
  const connection = useConnection();
  const agent = useStore((s) => s.agents?.find((a) => a.agentId === agentId));
  const [busy, setBusy] = useState(false);
  const start = async (text: string): Promise<{ taken: boolean }> => {
    setBusy(true);
    try {
      const session = await api.createSession(agentId, visibleText(firstWords(text)));
      store.dispatch({ type: 'sessionCreated', session });
      connection.say(session.sessionId, text);
      go({ view: 'session', sessionId: session.sessionId });
      return { taken: true };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      store.dispatch({ type: 'trouble', text: why });
      setBusy(false);
      return { taken: false };
    }
  };
  return (
    <>
      <InHeader>
        <h1 className={frame.pageTitle}>{texts.nav.newSession}</h1>
      </InHeader>
      <div className={frame.scroll}>
        <div className={frame.center}>
          <div className={frame.empty}>
            <Logo size={44} />
            <h2>
              <Revealed text={texts.draft.title(agentId)} />
            </h2>
            {agent?.description && (
              <p>
                <Revealed text={agent.description} mode="prose" />
              </p>
            )}
            <p>{texts.draft.body(agent?.mode)}</p>
            {agent?.tools && agent.tools.length > 0 && (
              <p>
                {texts.draft.tools}:{' '}
                {agent.tools.map((tool, i) => (
                  <span key={tool.name}>
                    {i > 0 && ' '}
                    <code className={frame.example}>
                      <Revealed text={tool.name} />
                    </code>
                  </span>
                ))}
              </p>
            )}
            {agent && (
              <div className={classes.draftMode}>
                {texts.draft.mode}: <ModeControl agent={agent} />
              </div>
            )}
            <p>
              {texts.draft.tryThis} <code className={frame.example}>{texts.home.example}</code>
            </p>
          </div>
        </div>
      </div>
      <Composer key={agentId} draftKey={`new/${agentId}`} onSend={start} disabled={busy} autoFocus />
    </>
  );
}
