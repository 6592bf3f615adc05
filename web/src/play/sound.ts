// Plays cues with WebAudio. The tones are synthesized, so there are no sound files.

import { notes, type Cue, type Note } from './cues.ts';

let context: AudioContext | undefined;

/** Plays a cue. Without audio output it does nothing. */
export function play(cue: Cue): void {
  context ??= new AudioContext();
  // A browser suspends the context until the first gesture.
  if (context.state === 'suspended') void context.resume().catch(() => undefined);
  for (const note of notes(cue)) ring(context, note);
}

function ring(audio: AudioContext, { frequency, at, length }: Note): void {
  const start = audio.currentTime + at;
  const tone = new OscillatorNode(audio, { type: 'triangle', frequency });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.14, start + 0.008);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + length);
}
