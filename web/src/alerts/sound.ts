let context: AudioContext | undefined;

/** A short soft tone, made here. A browser may keep it back until the page has been clicked. */
export function playTone(): void {
  if (typeof AudioContext === 'undefined') return;
  context ??= new AudioContext();
  const audio = context;
  const play = () => {
    const start = audio.currentTime + 0.01;
    note(audio, 587, start);
    note(audio, 784, start + 0.14);
  };
  if (audio.state === 'suspended') audio.resume().then(play, () => undefined);
  else play();
}

function note(audio: AudioContext, hertz: number, at: number): void {
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = hertz;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.28);
  tone.connect(volume).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.3);
}
