/// THR-1, THR-2: it made 1 summariser call where the cooldown runs for another 60 s and growth is 0
#[test]
fn thr_1_attempted_although_the_cooldown_is_running() {
    // Your candidate; anything that makes a fresh one.
    let suite = plimsoll::Suite::new(MyCompactor::default);
    let witness = plimsoll::Witness::parse(WITNESS).unwrap();
    let replay = suite.replay(&witness).unwrap();
    assert!(!replay.fails(), "{replay}");

    const WITNESS: &str = r#"{"plimsoll":"witness","format":1,"spec":"0.1","suite":"0.1.0","candidate":{"name":"self-counting-throttle","version":"0.1.0"},"requirements":["THR-1","THR-2"],"reason":"attempted although the cooldown is running","detail":"it made 1 summariser call where the cooldown runs for another 60 s and growth is 0","note":"","seed":0,"contract":{"attempt":{"abort":"ignored","answer":"{text}","calls":1,"eligible_min":4,"eligible_min_size":400,"input_max":null,"keep_last":1,"keep_size":0.0,"min_effect":0.0,"noop":"ignored","outcomes":["rejected","overflow","timeout","transport","empty","blank","length","refusal","inflated","equal","ineffective","raised","no_view"],"pending":"never"},"capabilities":["summarize","throttle","trim","force","overflow","conversations","restart","rewind","log","view","usage","arrivals","auto"],"change":{"after_failure":2,"after_success":1},"conversations":{"max":1000},"drive":"step","field":{"join":{"after":"","before":"","separator":"\n\n","skip_empty":true,"strip":false},"marker":null,"max":"any","notice":"reported","structure":"blocks","tail":0,"unit":"code_points"},"fit":{"counter":"chars/4","max":"any","per_message":0,"unit":"messages"},"gauge":{"counter":"chars/4","target":6000,"trigger":8000,"unit":"tokens"},"latch":null,"messages":["ui_only","hidden","pinned","calls","parallel_calls","reasoning","system","many_system","tool_role","interim"],"overflow":{"recoveries":1},"pressure":"given","request":{"paths":[]},"restart":{"latch":"persistent","throttle":"persistent"},"size":{"per_message":0,"unit":"code_points"},"sizes":{"large":1500,"small":120},"status":{"visible":[]},"throttle":{"clock":"wall","cooldown_s":60.0,"growth":"reopens"},"trim":{"how":"marker","keep_last":3,"keep_size":0,"min_chars":1000,"min_saving":0.0},"view":{"alternation":false,"latest_user":"verbatim","summaries":1},"weight":"light"}}
{"append":{"conversation":"a","messages":[{"key":1,"role":"assistant"},{"key":2,"role":"assistant"},{"key":3,"role":"assistant"},{"key":4,"role":"assistant"},{"key":5,"role":"assistant"}]}}
{"step":{"conversation":"a","answers":["rejected"]}}
{"step":{"conversation":"a"}}
"#;
}
