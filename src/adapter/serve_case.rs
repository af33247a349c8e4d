//! A whole case in one line, as a served candidate answers it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::case::Answers;
use super::connection::Outcome;
use super::protocol::{INVALID_PARAMS, RpcError};
use super::serve::Server;

/// The parameters of `case`.
#[derive(Debug, Deserialize)]
pub(super) struct CaseParams {
    requests: Vec<CaseRequest>,
    #[serde(default)]
    summaries: Value,
}

#[derive(Debug, Deserialize)]
struct CaseRequest {
    method: String,
    #[serde(default)]
    params: Map<String, Value>,
}

impl Server<'_> {
    /// Each request as if it had come by itself, the summariser's answers taken from the case.
    pub(super) fn case(&mut self, params: CaseParams) -> Outcome {
        let (mut results, mut calls) = (Vec::new(), Vec::new());
        for (at, CaseRequest { method, params: asked }) in params.requests.into_iter().enumerate() {
            if matches!(&*method, "hello" | "case" | "bye") {
                return Err(RpcError::new(INVALID_PARAMS, format!("params.requests[{at}].method is {method:?}")));
            }
            let shown = asked.get("conversation").cloned();
            self.wire.follow(Some(Answers::of(&params.summaries, at)));
            let outcome = self.answer(&method, asked);
            calls.extend(self.wire.follow(None).into_iter().flat_map(|answers| answers.made(at)));
            results.push(match outcome {
                Ok(result) => json!({"result": result}),
                Err(error) => match self.state_after(&method, shown) {
                    Some(state) => json!({"error": error, "state": state}),
                    None => json!({"error": error}),
                },
            });
        }
        Ok(json!({"results": results, "summarize_calls": calls}))
    }

    /// What stands beside the error of a step that raised: what `view` would answer.
    fn state_after(&mut self, method: &str, conversation: Option<Value>) -> Option<Value> {
        let conversation = conversation.filter(|_| method == "step")?;
        let asked = Map::from_iter([("conversation".to_owned(), conversation)]);
        self.answer("view", asked).ok()
    }
}
